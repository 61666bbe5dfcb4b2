#include "commands.hpp"
#include "engine/file_commands.hpp"
#include "engine_command.hpp"
#include "help.hpp"

namespace lightrun::app {

void add_inspect(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<engine::FileRequest>();
  CLI::App* command =
      app.add_subcommand("inspect", "Say what is in a checkpoint, and whether it is undamaged");
  command->add_option("FILE", request->file, "A checkpoint, a safetensors file, or what torch.save wrote")
      ->required();
  end_help(*command, "",
           {"lightrun inspect runs/digits/0/checkpoints/last.ckpt", "lightrun inspect digits.safetensors"});
  answer_with<engine::FileFunction>(*command, engine::kInspectSymbol, request, exit_code);
}

void add_export(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<engine::FileRequest>();
  CLI::App* command =
      app.add_subcommand("export", "Write the weights of a checkpoint alone, for other programs");
  command->add_option("FILE", request->file, "A checkpoint, or any file of weights")->required();
  command->add_option("--to", request->to, "NAME.safetensors, or NAME.pt for Python's torch.load")
      ->required()
      ->type_name("FILE");
  end_help(*command, "",
           {"lightrun export runs/digits/0/checkpoints/best.ckpt --to digits.safetensors",
            "lightrun export runs/digits/0/checkpoints/best.ckpt --to digits.pt"});
  answer_with<engine::FileFunction>(*command, engine::kExportSymbol, request, exit_code);
}

}  // namespace lightrun::app
