#include "state/checkpoint.hpp"

#include "state/safetensors.hpp"
#include "support/atomic_file.hpp"

#include <nlohmann/json.hpp>

namespace lightrun::state {
namespace {

constexpr const char* kFormatVersion = "1";

using Json = nlohmann::ordered_json;

template <typename T>
Json to_json(const T& value) {
  return value;
}

Json to_json(const std::vector<ScheduleState>& schedules) {
  Json list = Json::array();
  for (const auto& [steps, count, plateau, metric_seen] : schedules) {
    list.push_back({{"steps", steps},
                    {"count", count},
                    {"best", plateau.best ? Json(*plateau.best) : Json()},
                    {"bad", plateau.bad},
                    {"cooldown", plateau.cooldown},
                    {"reductions", plateau.reductions},
                    {"metric_seen", metric_seen}});
  }
  return list;
}

std::string as_json(const RunState& state) {
  Json json;
  for_each_field(state,
                 [&](std::string_view name, const auto& value) { json[std::string(name)] = to_json(value); });
  return json.dump();
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const torch::nn::Module& model,
                      const RunState& state, const std::string& resolved_config, std::string_view cut) {
  std::vector<std::pair<std::string, torch::Tensor>> tensors;
  for (const auto& item : model.named_parameters()) tensors.emplace_back(item.key(), item.value());
  for (const auto& item : model.named_buffers()) tensors.emplace_back(item.key(), item.value());
  const std::map<std::string, std::string> metadata = {{"lightrun.format", kFormatVersion},
                                                       {"lightrun.cut", std::string(cut)},
                                                       {"lightrun.run_state", as_json(state)},
                                                       {"lightrun.config", resolved_config}};
  support::write_file_atomically(path, [&](std::ostream& out) { write_safetensors(out, tensors, metadata); });
}

}  // namespace lightrun::state
