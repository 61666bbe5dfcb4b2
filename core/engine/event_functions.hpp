#pragma once

#include <lightrun/callback.hpp>
#include <lightrun/event.hpp>

#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace lightrun::engine {

/// Functions to call at events, as a callback.
class EventFunctions : public Callback {
 public:
  void add(Event event, std::function<void(Context&)> function) {
    functions_[event].push_back(std::move(function));
    EventSet wanted;
    for (const auto& [each, all] : functions_) wanted.insert(each);
    set_wants(wanted);
  }
  [[nodiscard]] bool empty() const { return functions_.empty(); }

#define LIGHTRUN_FUNCTIONS_both(name)    \
  void name(Context& context) override { \
    call(Event::name, context);          \
  }
#define LIGHTRUN_FUNCTIONS_callback(name) LIGHTRUN_FUNCTIONS_both(name)
#define LIGHTRUN_FUNCTIONS_model(name)
#define LIGHTRUN_FUNCTIONS_summary(name)
#define LIGHTRUN_FUNCTIONS_work(name)
#define LIGHTRUN_FUNCTIONS(name, who) LIGHTRUN_FUNCTIONS_##who(name)
  LIGHTRUN_HOOKS(LIGHTRUN_FUNCTIONS)
#undef LIGHTRUN_FUNCTIONS
#undef LIGHTRUN_FUNCTIONS_both
#undef LIGHTRUN_FUNCTIONS_callback
#undef LIGHTRUN_FUNCTIONS_model
#undef LIGHTRUN_FUNCTIONS_summary
#undef LIGHTRUN_FUNCTIONS_work

 private:
  void call(Event event, Context& context) {
    const auto all = functions_.find(event);
    if (all == functions_.end()) return;
    for (const auto& function : all->second) function(context);
  }

  std::map<Event, std::vector<std::function<void(Context&)>>> functions_;
};

}  // namespace lightrun::engine
