#pragma once

#include "optim/flat_layout.hpp"

#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lightrun::optim {

/// An optimizer's parameters side by side in one memory, and their gradients in another, so that a step is a
/// few operations over one long tensor instead of a few for each parameter. LibTorch's own optimizer steps:
/// for that time its groups hold the long tensors in place of the parameters. Everyone else sees the
/// parameters as ever; the same tensors with the same values, in another memory.
///
/// Joined are parameters of one group, type and device with an equal past in the optimizer, from their first
/// gradient on. Left as they are: parameters whose memory somebody else holds too (tied weights, views), that
/// are not contiguous or not floating, or whose gradients are sparse. Where somebody gives a joined parameter
/// or its gradient another memory, all are put apart again for good, with what the optimizer knows of each.
class FlatParameters {
 public:
  /// Whether the optimizer is one that treats every entry by itself: SGD, Adam, AdamW, RMSprop or Adagrad,
  /// and no class derived from them; with an eps that is not 0.
  [[nodiscard]] static bool can_be_of(const torch::optim::Optimizer& optimizer);

  /// @param optimizer can_be_of() it; lives longer than this
  /// @param excluded parameters that are not to be joined
  FlatParameters(torch::optim::Optimizer& optimizer, std::vector<torch::Tensor> excluded);
  ~FlatParameters();
  FlatParameters(const FlatParameters&) = delete;
  FlatParameters& operator=(const FlatParameters&) = delete;

  /// Before each step, when the gradients are there: joins what can be, or puts apart what no longer can be.
  void prepare();

  /// The optimizer's parameters with the long tensors in place of those they hold: norms, factors and checks
  /// over these and their gradients are those over all. Between parameters a long tensor is padded with
  /// zeros.
  [[nodiscard]] const std::vector<torch::Tensor>& tensors() const { return tensors_; }

  /// How many parameters are joined.
  [[nodiscard]] std::size_t joined() const;

  /// Somebody has given a joined parameter or its gradient another memory.
  [[nodiscard]] bool is_over() const { return layout_.is_over; }

  [[nodiscard]] const FlatLayout& layout() const { return layout_; }
  /// Before the first prepare(): parameters are joined as they were in the run that is resumed.
  void restore(FlatLayout layout) { layout_ = std::move(layout); }

  /// For its lifetime the optimizer's groups hold tensors(): around step() and zero_grad().
  class InPlace {
   public:
    explicit InPlace(FlatParameters& flat);
    ~InPlace();
    InPlace(const InPlace&) = delete;
    InPlace& operator=(const InPlace&) = delete;

   private:
    FlatParameters& flat_;
  };

  /// For its lifetime the optimizer's state() has an entry for each parameter, as if none were joined: views
  /// of what it keeps of the long tensors. For reading.
  class StateApart {
   public:
    explicit StateApart(FlatParameters& flat);
    ~StateApart();
    StateApart(const StateApart&) = delete;
    StateApart& operator=(const StateApart&) = delete;

   private:
    FlatParameters& flat_;
    std::vector<std::unique_ptr<torch::optim::OptimizerParamState>> whole_;  ///< of each row
  };

 private:
  /// A parameter in a row.
  struct Member {
    torch::Tensor parameter;
    int64_t offset = 0;  ///< entries
    const void* value_memory = nullptr;
    const void* gradient_memory = nullptr;
    int64_t gradient_version = 0;  ///< after it was last cleared
  };
  /// Parameters that are joined.
  struct Row {
    torch::Tensor values;
    torch::Tensor gradients;
    std::vector<Member> members;
  };

  [[nodiscard]] bool may_join(const torch::Tensor& parameter) const;
  [[nodiscard]] bool holds() const;
  [[nodiscard]] int64_t row_wanted(std::size_t parameter) const;
  void join();
  std::vector<Row> rows_of(const std::vector<torch::Tensor>& parameters, std::size_t first);
  Row row_of(const std::vector<torch::Tensor>& parameters);
  void put_apart();
  void keep_gradients();

  torch::optim::Optimizer& optimizer_;
  std::vector<torch::Tensor> excluded_;
  bool is_joined_ = false;
  FlatLayout layout_;  ///< before the first prepare(), that of the run that is resumed
  std::vector<Row> rows_;
  std::vector<torch::Tensor> waiting_;                 ///< for their first gradient
  std::vector<torch::Tensor> tensors_;                 ///< of all groups
  std::vector<std::vector<torch::Tensor>> in_groups_;  ///< tensors_ by group; while InPlace: the parameters
};

}  // namespace lightrun::optim
