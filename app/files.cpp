#include "commands.hpp"
#include "engine/file_commands.hpp"
#include "engine_library.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace lightrun::app {

void add_inspect(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<engine::FileRequest>();
  CLI::App* command = app.add_subcommand(
      "inspect", "Say what is in a checkpoint, or any file of weights, and whether it is undamaged");
  command->add_option("file", request->file, "A checkpoint, a safetensors file, or what torch.save wrote")
      ->required();
  command->footer("  lightrun inspect runs/digits/0/checkpoints/last.ckpt");
  command->final_callback([request, &exit_code] {
    exit_code = call_engine<engine::FileFunction>(engine::kInspectSymbol, *request);
  });
}

void add_export(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<engine::FileRequest>();
  CLI::App* command =
      app.add_subcommand("export", "Write the weights of a checkpoint alone, for other programs");
  command->add_option("file", request->file, "A checkpoint, or any file of weights")->required();
  command->add_option("--to", request->to, "NAME.safetensors, or NAME.pt for Python's torch.load")
      ->required();
  command->footer("  lightrun export runs/digits/0/checkpoints/best.ckpt --to digits.safetensors");
  command->final_callback([request, &exit_code] {
    exit_code = call_engine<engine::FileFunction>(engine::kExportSymbol, *request);
  });
}

}  // namespace lightrun::app
