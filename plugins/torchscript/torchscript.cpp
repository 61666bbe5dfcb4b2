// Any module exported from Python by torch.jit.script or torch.jit.trace, trained without a line of C++.
//
// The module's parameters and buffers become this model's own, under Python's names, so that optimizers,
// checkpoints and `--weights-only` see them as they see any others.

#include <lightrun/lightrun.hpp>

#include <torch/script.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace {

using Loss = torch::Tensor (*)(const torch::Tensor& output, const torch::Tensor& target);

const std::map<std::string, Loss>& losses() {
  static const std::map<std::string, Loss> all = {
      {"cross_entropy",
       [](const torch::Tensor& output, const torch::Tensor& target) {
         return torch::cross_entropy_loss(output.flatten(0, -2), target.flatten());
       }},
      {"mse", [](const torch::Tensor& output,
                 const torch::Tensor& target) { return torch::mse_loss(output, target.view_as(output)); }},
      {"l1", [](const torch::Tensor& output,
                const torch::Tensor& target) { return torch::l1_loss(output, target.view_as(output)); }},
      {"smooth_l1",
       [](const torch::Tensor& output, const torch::Tensor& target) {
         return torch::smooth_l1_loss(output, target.view_as(output));
       }},
      {"binary_cross_entropy_with_logits",
       [](const torch::Tensor& output, const torch::Tensor& target) {
         return torch::binary_cross_entropy_with_logits(output, target.to(output.dtype()).view_as(output));
       }},
      {"nll",
       [](const torch::Tensor& output, const torch::Tensor& target) {
         return torch::nll_loss(output.flatten(0, -2), target.flatten());
       }},
  };
  return all;
}

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const auto& [name, loss] : losses()) names.push_back(name);
  return names;
}

/// Loads the file; what is wrong with it is an error of the config.
torch::jit::Module load_script(const std::string& path) {
  if (path.empty())
    throw lightrun::ConfigError("model.params.path: give the file that Python's module.save() has written");
  if (!std::filesystem::exists(path))
    throw lightrun::ConfigError("model.params.path: " + path + ": there is no such file");
  try {
    return torch::jit::load(path, torch::kCPU);
  } catch (const c10::Error& error) {
    throw lightrun::ConfigError(
        "model.params.path: " + path +
        ": is no TorchScript module (in Python: torch.jit.script(module).save(path)): " +
        error.what_without_backtrace());
  }
}

class TorchScript : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    return {
        lightrun::ParamDecl("path", "", "file of the module, written by torch.jit.script(module).save(path)"),
        lightrun::ParamDecl("loss", "cross_entropy", "of the output and the target").one_of(loss_names()),
        lightrun::ParamDecl("inputs", std::vector<std::string>{"features"},
                            "fields that forward() takes, in order"),
        lightrun::ParamDecl("target", "target", "field that the output is compared with"),
        lightrun::ParamDecl("train", ".*",
                            "regular expression for the names of the parameters that train; the others stay"),
    };
  }

  explicit TorchScript(const lightrun::Params& params)
      : script_(load_script(params.get<std::string>("path"))),
        loss_(losses().at(params.get<std::string>("loss"))),
        has_classes_(params.get<std::string>("loss") == "cross_entropy" ||
                     params.get<std::string>("loss") == "nll"),
        inputs_(params.get<std::vector<std::string>>("inputs")),
        target_(params.get<std::string>("target")) {
    adopt(script_, *this);
    freeze(params.get<std::string>("train"));
  }

  void train(bool on = true) override {
    torch::nn::Module::train(on);
    script_.train(on);
  }

  lightrun::StepResult training_step(const lightrun::Batch& batch,
                                     const lightrun::StepInfo& /*info*/) override {
    return loss_(forward(batch), batch[target_]);
  }
  void validation_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    measure(batch, "val");
  }
  void test_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    measure(batch, "test");
  }

  lightrun::Batch predict_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    return {{"prediction", forward(batch)}};
  }

 private:
  /// A torch::nn::Module for each submodule, so that names have their dots; tensors are shared with the
  /// script.
  void adopt(const torch::jit::Module& script, torch::nn::Module& into) {
    for (const auto& item : script.named_parameters(/*recurse=*/false))
      into.register_parameter(item.name, item.value, item.value.requires_grad());
    for (const auto& item : script.named_buffers(/*recurse=*/false))
      into.register_buffer(item.name, item.value);
    for (const auto& item : script.named_children()) {
      const auto child = std::make_shared<torch::nn::Module>();
      adopt(item.value, *child);
      if (!child->parameters().empty() || !child->buffers().empty()) into.register_module(item.name, child);
    }
  }

  void freeze(const std::string& pattern) {
    std::regex trains;
    try {
      trains = pattern;
    } catch (const std::regex_error& error) {
      throw lightrun::ConfigError("model.params.train: is no regular expression: " +
                                  std::string(error.what()));
    }
    bool any = false;
    for (auto& item : named_parameters()) {
      const bool is_asked = std::regex_search(item.key(), trains) && item.value().requires_grad();
      item.value().set_requires_grad(is_asked);
      any = any || is_asked;
    }
    if (!any)
      throw lightrun::ConfigError("model.params.train: no parameter's name has '" + pattern + "' in it");
  }

  torch::Tensor forward(const lightrun::Batch& batch) {
    std::vector<torch::jit::IValue> inputs;
    for (const std::string& name : inputs_) inputs.emplace_back(batch[name]);
    const torch::jit::IValue output = script_.forward(inputs);
    if (!output.isTensor())
      throw lightrun::RunError("the module's forward() answers no tensor, but a " + output.tagKind());
    return output.toTensor();
  }

  void measure(const lightrun::Batch& batch, const std::string& part) {
    const torch::Tensor output = forward(batch);
    log(part + "_loss", loss_(output, batch[target_]), {.prog_bar = true});
    if (has_classes_) log(part + "_acc", output.argmax(-1).eq(batch[target_]).to(torch::kFloat).mean());
  }

  torch::jit::Module script_;
  Loss loss_;
  bool has_classes_;
  std::vector<std::string> inputs_;
  std::string target_;
};

}  // namespace

LIGHTRUN_MODEL(TorchScript, "torchscript",
               "Any module exported from Python: torch.jit.script(module).save(path)");
