#include "commands.hpp"
#include "config/excerpt.hpp"
#include "help.hpp"
#include "support/exit_codes.hpp"
#include "support/text.hpp"
#include "support/version.hpp"
#include "usage_error.hpp"

#include <lightrun/error.hpp>

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

namespace {

/// glibc returns large blocks to the kernel and takes them back at every training step; kept, a step of a
/// 784-128-10 net is three times faster.
void keep_freed_memory() {
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

/// SIGUSR1 asks a training run to save; before that can be, it is not to end it.
void survive_an_early_request_to_save() {
  std::signal(SIGUSR1, SIG_IGN);
}

/// Training does not end because nobody reads what it prints: a closed pipe is an error of write(), not a
/// signal, and a standard stream that was closed is opened on nothing, lest the first file of the run takes
/// its number.
void survive_a_closed_output() {
  std::signal(SIGPIPE, SIG_IGN);
  for (int fd = open("/dev/null", O_RDWR); fd >= 0 && fd <= STDERR_FILENO;) fd = open("/dev/null", O_RDWR);
}

std::string exit_codes_text() {
  std::vector<std::string> texts;
  for (const auto& [code, meaning] : lightrun::support::exit_codes()) texts.push_back(code + ' ' + meaning);
  return "The exit codes: " + lightrun::support::join(texts) + '.';
}

int report(const std::string& text, const std::vector<std::string>& words, lightrun::ExitCode code) {
  std::cerr << lightrun::config::with_excerpts(text, words) << '\n';
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  using lightrun::ExitCode;
  keep_freed_memory();
  survive_a_closed_output();
  survive_an_early_request_to_save();
  CLI::App app("lightrun trains LibTorch models from YAML files", "lightrun");
  app.formatter_fn([](const CLI::App* command, std::string /*name*/, CLI::AppFormatMode /*mode*/) {
    return lightrun::app::help_text(*command);
  });
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("--version", std::string("lightrun ") + lightrun::support::version(),
                       "Print the version");
  lightrun::app::end_help(app, exit_codes_text(), {});
  app.require_subcommand(1);
  std::vector<std::string> words = {"lightrun"};
  words.insert(words.end(), argv + std::min(argc, 1), argv + argc);
  int exit_code = 0;
  lightrun::app::add_train(app, exit_code);
  lightrun::app::add_test(app, exit_code);
  lightrun::app::add_predict(app, exit_code);
  lightrun::app::add_check(app, exit_code);
  lightrun::app::add_plan(app, exit_code);
  lightrun::app::add_plugins(app, exit_code);
  lightrun::app::add_inspect(app, exit_code);
  lightrun::app::add_export(app, exit_code);
  lightrun::app::add_report(app, exit_code);
  lightrun::app::add_new(app);
  lightrun::app::add_build(app);
  lightrun::app::add_reference(app);
  lightrun::app::add_schema(app, exit_code);
  lightrun::app::add_completion(app);
  try {
    if (argc > 1) lightrun::app::check_command(app, argv[1]);
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return report(lightrun::app::usage_error(app, error), words, ExitCode::usage);
  } catch (const lightrun::Error& error) {
    return report(error.what(), words, error.exit_code());
  } catch (const std::exception& error) {
    return report(std::string("lightrun: ") + error.what(), words, ExitCode::runtime);
  }
  return exit_code;
}
