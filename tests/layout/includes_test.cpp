#include "layout/include_rules.hpp"
#include "layout/source_tree.hpp"
#include "support/catch.hpp"

#include <set>
#include <string>

using namespace layout;

TEST_CASE("an include that points downwards is refused") {
  CHECK(include_fault("core/support/text.cpp", "\"config/value.hpp\"") == "support must not know config");
  CHECK(include_fault("core/schedule/plan.hpp", "\"engine/run.hpp\"") == "schedule must not know engine");
  CHECK(include_fault("core/loggers/logger.hpp", "\"config/value.hpp\"") == "loggers must not know config");
  CHECK(include_fault("core/callbacks/summary.cpp", "\"engine/run.hpp\"") ==
        "callbacks must not know engine");
  CHECK(include_fault("core/predictions/csv.cpp", "\"engine/run.hpp\"") ==
        "predictions must not know engine");
  CHECK(include_fault("core/state/checkpoint.cpp", "\"callbacks/summary.hpp\"") ==
        "state must not know callbacks");
  CHECK(include_fault("app/train.cpp", "\"engine/fit_loop.hpp\"") ==
        "of engine the executable must not know this");
  CHECK(include_fault("plugins/digits/digits.cpp", "\"config/value.hpp\"") ==
        "a plugin includes <lightrun/...> only");
  CHECK(include_fault("core/include/lightrun/batch.hpp", "\"config/value.hpp\"") ==
        "an SDK header includes other SDK headers as <lightrun/...>");
  CHECK(include_fault("core/include/lightrun/batch.hpp", "<fmt/format.h>") ==
        "the SDK needs only LibTorch and the standard library");
  CHECK(include_fault("core/config/value.cpp", "\"../engine/run.hpp\"") == "a path upwards");
}

TEST_CASE("an include that points upwards, or at the SDK, is allowed") {
  CHECK(include_fault("core/engine/run.cpp", "\"support/text.hpp\"").empty());
  CHECK(include_fault("core/engine/run.cpp", "\"callbacks/summary.hpp\"").empty());
  CHECK(include_fault("core/config/value.cpp", "\"config/value.hpp\"").empty());
  CHECK(include_fault("core/loggers/csv_logger.cpp", "<lightrun/error.hpp>").empty());
  CHECK(include_fault("app/train.cpp", "\"engine/entry.hpp\"").empty());
  CHECK(include_fault("app/train.cpp", "\"commands.hpp\"").empty());
  CHECK(include_fault("plugins/digits/digits.cpp", "\"digits_data.hpp\"").empty());
  CHECK(include_fault("plugins/digits/digits.cpp", "<lightrun/lightrun.hpp>").empty());
  CHECK(include_fault("core/include/lightrun/batch.hpp", "<torch/types.h>").empty());
}

TEST_CASE("includes are found as they are written") {
  const std::string text =
      "#pragma once\n#include <vector>\n  # include \"a/b.hpp\"\n// #include <no>\n#include <c>";
  CHECK(includes_of(text) == std::vector<std::string>{"<vector>", "\"a/b.hpp\"", "<c>"});
}

TEST_CASE("no source includes against the order of the folders") {
  for (const std::string& file : source_files()) {
    if (file.starts_with("tests/")) continue;
    for (const std::string& include : includes_of(read_file(file))) {
      INFO(file << " includes " << include);
      CHECK(include_fault(file, include) == "");
    }
  }
}

TEST_CASE("every folder of core has its place in the order") {
  for (const std::string& file : source_files()) {
    const std::vector<std::string> parts = parts_of(file);
    if (parts.front() != "core" || parts[1] == "include") continue;
    INFO(file);
    CHECK(is_core_folder(parts[1]));
  }
}

TEST_CASE("the executable, support, config, schedule and loggers reach no LibTorch header") {
  static const std::set<std::string> kFree = {"support", "config", "schedule", "loggers"};
  for (const std::string& file : source_files()) {
    const std::vector<std::string> parts = parts_of(file);
    const bool is_free = parts.front() == "app" || (parts.front() == "core" && kFree.contains(parts[1]));
    // The precompiled header is for the sources that do use LibTorch.
    if (!is_free || file == "core/support/torch_pch.hpp") continue;
    for (const std::string& reached : reached_from(file)) {
      for (const std::string& include : includes_of(read_file(reached))) {
        INFO(file << " reaches " << include << " through " << reached);
        CHECK_FALSE(is_torch(without_marks(include)));
      }
    }
  }
}
