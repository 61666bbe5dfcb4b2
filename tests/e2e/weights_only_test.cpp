// --weights-only and --checkpoint with files whose names or dtypes are not quite the model's.

#include "e2e/faulty_run.hpp"
#include "e2e/safetensors_bytes.hpp"
#include "support/catch.hpp"

#include <cstring>

using namespace lightrun::tests;

namespace {

/// A safetensors file with one number, 3.5.
template <typename T>
void write_weight(const std::filesystem::path& path, const std::string& name, const std::string& dtype) {
  const nlohmann::json header = {
      {name, {{"dtype", dtype}, {"shape", {1}}, {"data_offsets", {0, sizeof(T)}}}}};
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  const T value = 3.5;
  std::string bytes(sizeof length + text.size() + sizeof value, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  std::memcpy(bytes.data() + sizeof length, text.data(), text.size());
  std::memcpy(bytes.data() + sizeof length + text.size(), &value, sizeof value);
  write_file(path, bytes);
}

Outcome train_from(const TemporaryFolder& folder, const std::vector<std::string>& flags) {
  std::vector<std::string> words = {"--optimizer.lr", "0", "--weights-only", "weights.safetensors"};
  words.insert(words.end(), flags.begin(), flags.end());
  return train_faulty(folder, "{}", words);
}

double last_weight(const TemporaryFolder& folder) {
  double weight = 0;
  std::memcpy(&weight, tensor_bytes(folder / "runs/run/0/checkpoints/last.ckpt").at("w").data(),
              sizeof weight);
  return weight;
}

}  // namespace

TEST_CASE("weights whose names all have a prefix are refused with what it is, and taken without it") {
  for (const auto& [prefix, author] :
       {std::pair<std::string, std::string>{"module.", "DistributedDataParallel"},
        {"_orig_mod.", "torch.compile"},
        {"model.", "a LightningModule"},
        {"net.inner.", ""}}) {
    CAPTURE(prefix);
    const TemporaryFolder folder;
    write_weight<double>(folder / "weights.safetensors", prefix + "w", "F64");
    const Outcome refused = train_from(folder, {});
    CAPTURE(refused.err);
    CHECK(refused.exit_code == 5);
    CHECK(contains(refused.err, "\n  w: not in the file, [1] Double in the model\n"));
    const auto hint = lines_of(refused.err).back();
    CHECK(hint.starts_with("  every name in the file begins with '" + prefix + "'"));
    CHECK(contains(hint, author));
    CHECK(hint.ends_with(": --strip-prefix " + prefix + " leaves that out"));
    CHECK_FALSE(std::filesystem::exists(folder / "runs"));
    const Outcome taken = train_from(folder, {"--strip-prefix", prefix});
    CAPTURE(taken.err);
    CHECK(taken.exit_code == 0);
    CHECK(last_weight(folder) == 3.5);
  }
}

TEST_CASE("a prefix that no name has is an error, and other names are no prefix") {
  const TemporaryFolder folder;
  write_weight<double>(folder / "weights.safetensors", "w", "F64");
  const Outcome outcome = train_from(folder, {"--strip-prefix", "module."});
  CHECK(outcome.exit_code == 5);
  CHECK(contains(outcome.err, "weights.safetensors: --strip-prefix: no name begins with 'module.'"));
  write_weight<double>(folder / "weights.safetensors", "bow", "F64");
  const Outcome other = train_from(folder, {});
  CHECK(other.exit_code == 5);
  CHECK_FALSE(contains(other.err, "begins with"));
}

TEST_CASE("weights of another dtype are refused with how to convert them") {
  const TemporaryFolder folder;
  write_weight<float>(folder / "weights.safetensors", "w", "F32");
  const Outcome outcome = train_from(folder, {});
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 5);
  CHECK(contains(outcome.err, "\n  w: [1] Float in the file, [1] Double in the model\n"));
  CHECK(
      contains(lines_of(outcome.err).back(),
               "only the dtype differs: Float in the file, Double in the model; in Python: weights = {name: "
               "tensor.to(torch.float64) "));
}
