#pragma once

#include "engine/run.hpp"

#include <functional>

namespace lightrun::engine {

/// Validations, tests, predictions: in eval mode, without gradients, their metrics logged. Training is not
/// changed by them: modes, gradients, the random generator, and what was gathered of an epoch's metrics are
/// as before.

/// One validation.
/// @param step the last optimizer step that was done (from 0), whose row the metrics go to
/// @return false: a signal has ended it early, its metrics are not kept, and a resumed run must hold it again
[[nodiscard]] bool validate(Run& run, int64_t step);

/// A few validation batches before training, so that a mistake in them shows at once. Nothing of it is kept.
void check_sanity(Run& run);

/// The test, from on_test_start to on_test_end.
/// @return its metrics
[[nodiscard]] Metrics evaluate_test(Run& run);

/// Takes what predict_step answers of a batch.
using TakePrediction = std::function<void(const Batch& samples, const Batch& answer)>;

/// The prediction, from on_predict_start to on_predict_end. What `take` throws ends it as if predict_step had
/// thrown it.
/// @return false: a signal has ended it early
[[nodiscard]] bool evaluate_prediction(Run& run, const TakePrediction& take);

}  // namespace lightrun::engine
