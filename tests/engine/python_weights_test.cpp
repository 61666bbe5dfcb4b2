#include "state/python_weights.hpp"

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <lightrun/error.hpp>

#include <torch/torch.h>

#include <sys/wait.h>

#include <cstdlib>

using namespace lightrun;
using lightrun::tests::TemporaryFolder;

namespace {

/// Runs a script in `folder`, where /usr/bin/python3 has torch; says so and answers false where it has not.
bool run_python(const TemporaryFolder& folder, const std::string& script) {
  constexpr int has_no_torch = 77;
  tests::write_file(folder / "script.py",
                    "import sys\ntry:\n  import torch\nexcept ImportError:\n  sys.exit(" +
                        std::to_string(has_no_torch) + ")\n" + script);
  const int status = std::system(  // NOLINT(cert-env33-c)
      ("cd '" + folder.path().string() + "' && /usr/bin/python3 script.py > output 2>&1").c_str());
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == has_no_torch || code == 127) {
    WARN("skipped: /usr/bin/python3 has no torch");
    return false;
  }
  INFO(tests::read_file(folder / "output"));
  REQUIRE(code == 0);
  return true;
}

std::string refusal(const std::filesystem::path& path) {
  try {
    (void)state::read_python_state_dict(path);
  } catch (const RunError& error) {
    CHECK(std::string(error.what()).find("Exception raised") == std::string::npos);
    return error.what();
  }
  return "";
}

std::vector<std::string> names_of(const std::map<std::string, torch::Tensor>& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  return names;
}

bool is(const torch::Tensor& tensor, const torch::Tensor& expected) {
  return tensor.is_contiguous() && tensor.device().is_cpu() &&
         tensor.scalar_type() == expected.scalar_type() && torch::equal(tensor, expected);
}

}  // namespace

TEST_CASE("a model's state dict of Python is read with all its parameters and buffers") {
  const TemporaryFolder folder;
  if (!run_python(folder, R"(
model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(1))
with torch.no_grad():
  model[0].weight.copy_(torch.tensor([[1., 2.]]))
  model[0].bias.fill_(3)
model(torch.tensor([[1., 1.], [3., 1.]]))
torch.save(model.state_dict(), 'a.pt')
for protocol in (3, 4, 5):
  torch.save(model.state_dict(), f'a{protocol}.pt', pickle_protocol=protocol)
)")) {
    return;
  }
  for (const std::string name : {"a.pt", "a3.pt", "a4.pt", "a5.pt"}) {
    INFO(name);
    CHECK(state::is_zip_file(folder / name));
    const auto tensors = state::read_python_state_dict(folder / name);
    REQUIRE(names_of(tensors) == std::vector<std::string>{"0.bias", "0.weight", "1.bias",
                                                          "1.num_batches_tracked", "1.running_mean",
                                                          "1.running_var", "1.weight"});
    CHECK(is(tensors.at("0.weight"), torch::tensor({{1.f, 2.f}})));
    CHECK(is(tensors.at("0.bias"), torch::tensor({3.f})));
    CHECK(is(tensors.at("1.num_batches_tracked"), torch::tensor(1, torch::kInt64)));
    CHECK(tensors.at("1.num_batches_tracked").dim() == 0);
    // 0.9 * 0 + 0.1 * mean(6, 8)
    CHECK(tensors.at("1.running_mean").item<float>() == Approx(0.7));
    CHECK_FALSE(tensors.at("0.weight").requires_grad());
  }
}

TEST_CASE("Python's tensors come out with their types and values, those that share or skip elements too") {
  const TemporaryFolder folder;
  if (!run_python(folder, R"(
weight = torch.nn.Parameter(torch.tensor([[1., 2., 3.], [4., 5., 6.]]))
weight.tag = 'an attribute'
class Named(torch.Tensor):
  pass
named = torch.arange(10.).as_subclass(Named)
named.tag = 'an attribute'
torch.save({
  'embed': weight, 'head': weight, 'transposed': weight.detach().t(), 'column': weight.detach()[:, 1],
  'row': weight.detach()[1], 'repeated': torch.tensor([7.]).expand(2, 2), 'empty': torch.empty(0, 3),
  'named': named,
  'parameter': torch.nn.Parameter(torch.tensor([8.]), requires_grad=False),
  'one': torch.tensor(9.)}, 'a.pt')
types = 'float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128'
torch.save({name: torch.tensor([0, 1]).to(getattr(torch, name)) for name in types.split()}, 'types.pt')
)")) {
    return;
  }
  const auto tensors = state::read_python_state_dict(folder / "a.pt");
  REQUIRE(tensors.size() == 10);
  CHECK(is(tensors.at("embed"), torch::tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}})));
  CHECK(is(tensors.at("head"), tensors.at("embed")));
  CHECK(tensors.at("head").data_ptr() != tensors.at("embed").data_ptr());
  CHECK(is(tensors.at("transposed"), torch::tensor({{1.f, 4.f}, {2.f, 5.f}, {3.f, 6.f}})));
  CHECK(is(tensors.at("column"), torch::tensor({2.f, 5.f})));
  CHECK(is(tensors.at("row"), torch::tensor({4.f, 5.f, 6.f})));
  CHECK(tensors.at("row").storage().nbytes() == 3 * sizeof(float));
  CHECK(is(tensors.at("repeated"), torch::full({2, 2}, 7.f)));
  CHECK(is(tensors.at("empty"), torch::empty({0, 3})));
  CHECK(is(tensors.at("named"), torch::arange(10.f)));
  CHECK(is(tensors.at("parameter"), torch::tensor({8.f})));
  CHECK(is(tensors.at("one"), torch::tensor(9.f)));

  const auto of_types = state::read_python_state_dict(folder / "types.pt");
  CHECK(of_types.size() == 12);
  for (const auto& [name, type] :
       std::map<std::string, torch::ScalarType>{{"float32", torch::kFloat32},
                                                {"float64", torch::kFloat64},
                                                {"float16", torch::kFloat16},
                                                {"bfloat16", torch::kBFloat16},
                                                {"int64", torch::kInt64},
                                                {"int32", torch::kInt32},
                                                {"int16", torch::kInt16},
                                                {"int8", torch::kInt8},
                                                {"uint8", torch::kUInt8},
                                                {"bool", torch::kBool},
                                                {"complex64", torch::kComplexFloat},
                                                {"complex128", torch::kComplexDouble}}) {
    INFO(name);
    CHECK(is(of_types.at(name), torch::tensor({0, 1}).to(type)));
  }
}

TEST_CASE("the weights are found in what Lightning and the tutorials save around them") {
  const TemporaryFolder folder;
  if (!run_python(folder, R"(
import argparse, collections, pathlib
model = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.constant_(model.weight, 2)
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(1, 1)).sum().backward()
optimizer.step()
torch.nn.init.constant_(model.weight, 3)
looped = []
looped.append(looped)
torch.save({
  'epoch': 3, 'global_step': 2 ** 40, 'pytorch-lightning_version': '2.0.1', 'huge': 2 ** 100, 'lr': 1e-3,
  'state_dict': model.state_dict(), 'optimizer_states': [optimizer.state_dict()], 'lr_schedulers': [],
  'loops': {'fit_loop': {'done': None, 'flags': (True, False, {1, 2}, frozenset('a'), b'bytes')}},
  'hyper_parameters': argparse.Namespace(root=pathlib.PurePosixPath('/data'), type=torch.float16),
  'counts': collections.Counter('aab'), 'size': torch.Size([1, 2]), 'device': torch.device('cpu'),
  'generator': torch.get_rng_state(), 'looped': looped, 'sparse': torch.eye(2).to_sparse()}, 'a.ckpt')
torch.save({'epoch': 3, 'model_state_dict': model.state_dict(), 'loss': torch.tensor(1.)}, 'b.pt')
torch.save({'model': model.state_dict(), 'args': None}, 'c.pt')
torch.save({'model': torch.tensor([3.])}, 'd.pt')
)")) {
    return;
  }
  for (const std::string file : {"a.ckpt", "b.pt", "c.pt"}) {
    INFO(file);
    const auto tensors = state::read_python_state_dict(folder / file);
    REQUIRE(names_of(tensors) == std::vector<std::string>{"weight"});
    CHECK(is(tensors.at("weight"), torch::tensor({{3.f}})));
  }
  CHECK(is(state::read_python_state_dict(folder / "d.pt").at("model"), torch::tensor({3.f})));
}

TEST_CASE("what else Python saves is refused with advice") {
  const TemporaryFolder folder;
  if (!run_python(folder, R"(
model = torch.nn.Linear(1, 1)
torch.save(model, 'model.pt')
torch.save(torch.ones(1), 'tensor.pt')
torch.save([torch.ones(1)], 'list.pt')
torch.save({'w': torch.ones(1), 'epoch': 3}, 'mixed.pt')
torch.save({0: torch.ones(1)}, 'numbered.pt')
torch.save({'w': torch.eye(2).to_sparse()}, 'sparse.pt')
torch.save({'w': torch.quantize_per_tensor(torch.ones(1), 1., 0, torch.qint8)}, 'quantized.pt')
torch.save(model.state_dict(), 'old.pt', _use_new_zipfile_serialization=False)
torch.save(model.state_dict(), 'text.pt', pickle_protocol=0)
torch.jit.script(model).save('program.pt')
)")) {
    return;
  }
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"model.pt", "made by torch.nn.modules.linear.Linear. In Python: torch.save(model.state_dict(), path)"},
      {"tensor.pt", "holds no state dict: what it holds is a tensor"},
      {"list.pt", "holds no state dict: what it holds is a Python list"},
      {"mixed.pt", "'epoch' is no tensor that can be read here: it is a number"},
      {"numbered.pt", "a key in it is a number"},
      {"sparse.pt",
       "'w' is no tensor that can be read here: it is made by torch._utils._rebuild_sparse_tensor"},
      {"quantized.pt", "'w' is no tensor that can be read here: it is made by torch._utils._rebuild_qtensor"},
      {"old.pt", "before PyTorch 1.6: load it in Python and save it again"},
      {"text.pt", "of another protocol than 2 to 5"},
      {"program.pt", "torch.save(torch.jit.load(path).state_dict(), new_path)"},
  };
  for (const auto& [name, text] : expected) {
    INFO(name);
    const std::string message = refusal(folder / name);
    INFO(message);
    CHECK(message.starts_with((folder / name).string() + ": "));
    CHECK(message.find(text) != std::string::npos);
  }
  CHECK(state::is_old_python_file(folder / "old.pt"));
  CHECK_FALSE(state::is_zip_file(folder / "old.pt"));
  CHECK_FALSE(state::is_old_python_file(folder / "list.pt"));
}

TEST_CASE("what is written for Python is a state dict there") {
  const TemporaryFolder folder;
  const auto weight = torch::tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  state::write_python_state_dict(folder / "a.pt",
                                 {{"weight", weight.t().contiguous().t()},
                                  {"bias", torch::tensor({7.f, 8.f}).set_requires_grad(true)},
                                  {"b.row", weight[1]},
                                  {"b.empty", torch::empty({0, 3})},
                                  {"a.count", torch::tensor(5, torch::kInt64)},
                                  {"half", torch::ones({1}, torch::kFloat16)},
                                  {"brain", torch::ones({1}, torch::kBFloat16)},
                                  {"bool", torch::ones({1}, torch::kBool)},
                                  {"complex", torch::ones({1}, torch::kComplexDouble)}});
  torch::nn::Sequential model(torch::nn::Linear(2, 3), torch::nn::BatchNorm1d(3));
  std::vector<std::pair<std::string, torch::Tensor>> weights;
  for (const auto& item : model->named_parameters()) weights.emplace_back(item.key(), item.value());
  for (const auto& item : model->named_buffers()) weights.emplace_back(item.key(), item.value());
  state::write_python_state_dict(folder / "model.pt", weights);
  CHECK(folder.names() == std::vector<std::string>{"a.pt", "model.pt"});
  run_python(folder, R"(
import inspect
for options in ({}, {'weights_only': True}):
  if not set(options) <= set(inspect.signature(torch.load).parameters): continue
  tensors = torch.load('a.pt', **options)
  assert isinstance(tensors, dict)
  assert list(tensors) == ['weight', 'bias', 'b.row', 'b.empty', 'a.count', 'half', 'brain', 'bool', 'complex']
  assert tensors['weight'].tolist() == [[1, 2, 3], [4, 5, 6]] and tensors['weight'].dtype == torch.float32
  assert tensors['weight'].is_contiguous() and not tensors['bias'].requires_grad
  assert tensors['b.row'].tolist() == [4, 5, 6] and tensors['b.row'].storage().size() == 3
  assert tensors['b.empty'].shape == (0, 3)
  assert tensors['a.count'].shape == () and tensors['a.count'].item() == 5
  assert tensors['a.count'].dtype == torch.int64
  assert [tensors[name].dtype for name in ('half', 'brain', 'bool', 'complex')] == [
      torch.float16, torch.bfloat16, torch.bool, torch.complex128]
  assert all(tensors[name].item() == 1 for name in ('half', 'brain', 'bool', 'complex'))
  model = torch.nn.Linear(3, 2)
  model.load_state_dict({name: tensors[name] for name in ('weight', 'bias')})
  assert model(torch.ones(1, 3)).tolist() == [[13, 23]]
  model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
  model.load_state_dict(torch.load('model.pt', **options))
)");
  const auto tensors = state::read_python_state_dict(folder / "a.pt");
  CHECK(is(tensors.at("weight"), weight));
  CHECK(is(tensors.at("b.row"), torch::tensor({4.f, 5.f, 6.f})));
  CHECK(tensors.size() == 9);
}

TEST_CASE("two tensors of one name, and one that Python's plain tensors do not know, are not written") {
  const TemporaryFolder folder;
  const auto written = [&](const std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
    state::write_python_state_dict(folder / "a.pt", tensors);
  };
  CHECK_THROWS_AS(written({{"a", torch::zeros({1})}, {"a", torch::zeros({1})}}), RunError);
  CHECK_THROWS_WITH(written({{"a", torch::eye(2).to_sparse()}}),
                    "tensor 'a' cannot be saved for Python: it is Sparse Float");
  CHECK(folder.names().empty());
}
