#pragma once

#include <lightrun/error.hpp>

#include "config/resolve.hpp"
#include "config/value.hpp"
#include "config/yaml_reader.hpp"
#include "support/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace lightrun::tests {

/// What every config here needs, so that a test shows only what it is about.
inline const std::string kModel = "model: {plugin: m}\n";

/// What resolve() threw; text "" and exit code ok if it did not.
struct Refused {
  ExitCode exit_code = ExitCode::ok;
  std::string text;
};

/// Config files in a fresh folder, which is what their names are shown relative to.
class Configs {
 public:
  /// Files a.yaml, b.yaml, ... of these texts.
  Configs(std::initializer_list<std::string> texts) {
    char name = 'a';
    for (const std::string& text : texts) {
      files_.push_back(folder_.path() / (std::string(1, name++) + ".yaml"));
      std::ofstream(files_.back(), std::ios::binary) << text;
    }
  }

  [[nodiscard]] config::Resolved resolve(const std::vector<std::string>& flags = {}) const {
    return config::resolve(files_, flags);
  }

  [[nodiscard]] config::RunSpec spec(const std::vector<std::string>& flags = {}) const {
    return resolve(flags).spec;
  }

  [[nodiscard]] Refused refused(const std::vector<std::string>& flags = {}) const {
    try {
      static_cast<void>(resolve(flags));
    } catch (const Error& error) {
      return {error.exit_code(), relative(error.what())};
    }
    return {};
  }

  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

  /// The text without the folder's path.
  [[nodiscard]] std::string relative(std::string text) const {
    const std::string prefix = folder_.path().string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }

 private:
  TemporaryFolder folder_;
  std::vector<std::string> files_;
};

/// The problems of one config, "" if it has none.
inline std::string problems_of(const std::string& yaml, const std::vector<std::string>& flags = {}) {
  return Configs({yaml}).refused(flags).text;
}

/// The spec of one config that is right.
inline config::RunSpec spec_of(const std::string& yaml, const std::vector<std::string>& flags = {}) {
  return Configs({yaml}).spec(flags);
}

using Texts = std::vector<std::string>;

/// The warnings about a config of these lines and the model that every one needs.
inline Texts warnings_of(const std::string& lines, const Texts& flags = {}) {
  const Configs configs({kModel + lines});
  Texts texts;
  for (const std::string& text : configs.resolve(flags).warnings) texts.push_back(configs.relative(text));
  return texts;
}

/// An environment variable, for as long as this lives.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~ScopedVariable() { ::unsetenv(name_.c_str()); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  std::string name_;
};

}  // namespace lightrun::tests
