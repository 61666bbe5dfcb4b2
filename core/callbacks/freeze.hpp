#pragma once

#include <lightrun/callback.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::callbacks {

/// Parameters that do not require grad, until an epoch begins or for good. A batch norm whose parameters are
/// all among them (or that has none, and is named itself) is in eval mode meanwhile: its running statistics
/// stay. What did not require grad, or was in eval mode, before it was frozen is left so.
class Freeze : public Callback {
 public:
  struct Rule {
    std::vector<std::string> parameters;      ///< names
    std::vector<std::string> norms;           ///< names of modules
    std::optional<int64_t> until_epoch = {};  ///< the first that trains them; nothing: none does
  };

  explicit Freeze(Rule rule) : rule_(std::move(rule)) {}

  /// Once there are optimizers: these have the parameters, and pass over those without gradients.
  void on_pretrain_routine_start(Context& context) override;
  void on_train_epoch_start(Context& context) override;

  void save_state(StateDict& state) const override;
  void load_state(const StateDict& state) override;
  [[nodiscard]] std::string state_key() const override { return "freeze"; }

 private:
  void set_frozen(Module& model, bool frozen) const;

  Rule rule_;
  bool is_frozen_ = true;
};

}  // namespace lightrun::callbacks
