#include "sources/source.hpp"
#include "sources/views.hpp"

#include <type_traits>

namespace lightrun::sources {
namespace {

class RenamedSource : public Source {
 public:
  RenamedSource(std::unique_ptr<Source> source, config::Names names)
      : source_(std::move(source)), names_(std::move(names)) {}
  [[nodiscard]] std::optional<int64_t> size() const override { return source_->size(); }
  void learn(std::span<const int64_t> rows, StateDict& learned) const override {
    source_->learn(rows, learned);
  }
  [[nodiscard]] DataLoader open(const StateDict& learned) const override {
    return renamed(source_->open(learned), names_);
  }
  [[nodiscard]] bool is_sequential() const override { return source_->is_sequential(); }

 private:
  std::unique_ptr<Source> source_;
  config::Names names_;
};

}  // namespace

std::unique_ptr<Source> open_source(const config::SourceSpec& spec, const OpenPlugin& open_plugin) {
  auto source = std::visit(
      [&](const auto& kind) -> std::unique_ptr<Source> {
        if constexpr (std::is_same_v<std::decay_t<decltype(kind)>, config::PluginSource>)
          return open_plugin(kind);
        else
          return open_source(kind);
      },
      spec.kind);
  if (spec.rename.empty()) return source;
  return std::make_unique<RenamedSource>(std::move(source), spec.rename);
}

}  // namespace lightrun::sources
