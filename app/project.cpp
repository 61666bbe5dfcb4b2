#include "commands.hpp"
#include "help.hpp"
#include "project/build_project.hpp"
#include "project/new_project.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

namespace lightrun::app {

void add_new(CLI::App& app) {
  struct Options {
    std::string folder;
    std::string from = "starter";
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("new", "Write a folder with a model of your own to begin with");
  command->add_option("FOLDER", options->folder, "The folder, called as the model")->required();
  command->add_option("--from", options->from, "The model to copy: starter, tabular, char_lstm, ...")
      ->type_name("MODEL");
  end_help(*command,
           "The folder holds the source, a CMakeLists.txt and a config; it builds and trains as it is.",
           {"lightrun new my_model", "lightrun new my_lstm --from char_lstm",
            "lightrun build my_model && lightrun train my_model/my_model.yaml"});
  command->final_callback([options] {
    std::filesystem::path folder = std::filesystem::path(options->folder).lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    for (const auto& file : project::new_project(folder, options->from)) std::cout << file.string() << '\n';
    const std::string name = folder.filename().string();
    std::cout << "\nnext: lightrun build " << folder.string() << " && lightrun train "
              << (folder / (name + ".yaml")).string() << '\n';
  });
}

void add_build(CLI::App& app) {
  struct Options {
    std::string source;
    std::string plugins = "plugins";
    bool verbose = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("build", "Compile a plugin and put it into the plugins folder");
  command
      ->add_option("SOURCE", options->source,
                   "A folder with a CMakeLists.txt or .cpp files, or one .cpp file")
      ->required();
  command->add_option("--plugin-dir", options->plugins, "The plugins folder; ./plugins by default")
      ->type_name("FOLDER");
  command->add_flag("--verbose", options->verbose, "Show what CMake and the compiler say");
  end_help(*command, "",
           {"lightrun build my_model", "lightrun build my_model.cpp",
            "lightrun build my_model --plugin-dir /opt/models"});
  command->final_callback([options] {
    const auto library = project::build_project(
        {.source = options->source, .plugins = options->plugins, .verbose = options->verbose});
    std::cout << library.string() << '\n';
  });
}

}  // namespace lightrun::app
