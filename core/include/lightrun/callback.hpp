#pragma once

#include <lightrun/context.hpp>
#include <lightrun/event.hpp>
#include <lightrun/export.hpp>
#include <lightrun/state_dict.hpp>

#include <string>

namespace lightrun {

/// Takes part in a run without being the model. Override the hooks you need; event.hpp says when each is
/// called. A hook that throws ends the run: on_exception, the endings, exit code 5.
class LIGHTRUN_API Callback {
 public:
  virtual ~Callback();

#define LIGHTRUN_CALLBACK_VIRTUAL(name) \
  virtual void name(Context& /*context*/) {}
#define LIGHTRUN_CALLBACK_VIRTUAL_both(name) LIGHTRUN_CALLBACK_VIRTUAL(name)
#define LIGHTRUN_CALLBACK_VIRTUAL_callback(name) LIGHTRUN_CALLBACK_VIRTUAL(name)
#define LIGHTRUN_CALLBACK_VIRTUAL_model(name)
#define LIGHTRUN_CALLBACK_VIRTUAL_summary(name)
#define LIGHTRUN_CALLBACK_VIRTUAL_work(name)
#define LIGHTRUN_CALLBACK_HOOK(name, who) LIGHTRUN_CALLBACK_VIRTUAL_##who(name)
  LIGHTRUN_HOOKS(LIGHTRUN_CALLBACK_HOOK)
#undef LIGHTRUN_CALLBACK_HOOK
#undef LIGHTRUN_CALLBACK_VIRTUAL_both
#undef LIGHTRUN_CALLBACK_VIRTUAL_callback
#undef LIGHTRUN_CALLBACK_VIRTUAL_model
#undef LIGHTRUN_CALLBACK_VIRTUAL_summary
#undef LIGHTRUN_CALLBACK_VIRTUAL_work
#undef LIGHTRUN_CALLBACK_VIRTUAL

  // -- what a checkpoint keeps of it

  /// Puts into `state` what a resumed run must give back to it. Default: nothing.
  virtual void save_state(StateDict& /*state*/) const {}
  /// Takes back what save_state has put there, before on_load_checkpoint. Not called where the checkpoint has
  /// nothing under its state_key().
  virtual void load_state(const StateDict& /*state*/) {}
  /// Under which name a checkpoint keeps its state, to find it again in a run whose callbacks may stand in
  /// another order; of several with the same name the first takes the first. Default: the class's name.
  [[nodiscard]] virtual std::string state_key() const;

  /// The hooks it wants; the bus calls no other. make_callback() fills this in from what the class overrides.
  [[nodiscard]] const EventSet& wants() const {
    return wants_;
  }
  void set_wants(const EventSet& wants) {
    wants_ = wants;
  }

 private:
  EventSet wants_ = EventSet::all();
};

}  // namespace lightrun
