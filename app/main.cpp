#include "commands.hpp"

#include <lightrun/error.hpp>

#include <CLI/CLI.hpp>

#include <malloc.h>

#include <iostream>

namespace {

/// glibc returns large blocks to the kernel and takes them back at every training step; kept, a step of a
/// 784-128-10 net is three times faster.
void keep_freed_memory() {
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

int report(std::string_view text, lightrun::ExitCode code) {
  std::cerr << text << '\n';
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  using lightrun::ExitCode;
  keep_freed_memory();
  CLI::App app("lightrun trains LibTorch models from a YAML file.", "lightrun");
  app.set_version_flag("--version", "lightrun " LIGHTRUN_VERSION);
  app.require_subcommand(1);
  int exit_code = 0;
  lightrun::app::add_train(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::usage);
  } catch (const lightrun::Error& error) {
    return report(error.what(), error.exit_code());
  } catch (const std::exception& error) {
    return report(std::string("lightrun: ") + error.what(), ExitCode::runtime);
  }
  return exit_code;
}
