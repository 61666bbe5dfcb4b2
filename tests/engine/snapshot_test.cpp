#include "engine/snapshot.hpp"

#include "support/catch.hpp"

#include <lightrun/error.hpp>

#include <thread>

using lightrun::engine::Snapshot;
using lightrun::state::NamedTensors;

namespace {

NamedTensors tensors_of_all_kinds() {
  const auto rows = torch::rand({3, 5}, torch::requires_grad());
  return {{"large", torch::rand({9, 1 << 18})},  // several pieces, the last one short
          {"odd", torch::arange(7, torch::kInt8)},
          {"scalar", torch::tensor(2.5, torch::kFloat64)},
          {"empty", torch::empty({0, 4})},
          {"leaf", rows},
          {"transposed", rows.t()},
          {"row", rows[1]},
          {"expanded", torch::tensor({1, 2}).unsqueeze(1).expand({2, 3})},
          {"conjugate", torch::complex(torch::tensor({1.F}), torch::tensor({2.F})).conj()},
          {"bools", torch::tensor({true, false, true})}};
}

void check_equal(const NamedTensors& copies, const NamedTensors& originals) {
  REQUIRE(copies.size() == originals.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    INFO(originals[i].first);
    CHECK(copies[i].first == originals[i].first);
    CHECK(copies[i].second.scalar_type() == originals[i].second.scalar_type());
    CHECK(torch::equal(copies[i].second, originals[i].second.resolve_conj()));
    CHECK_FALSE(copies[i].second.requires_grad());
  }
}

}  // namespace

TEST_CASE("a snapshot copies tensors of all kinds, and stays as it was") {
  const auto originals = tensors_of_all_kinds();
  NamedTensors clones;
  for (const auto& [name, tensor] : originals) clones.emplace_back(name, tensor.detach().clone());
  Snapshot snapshot;
  snapshot.begin(originals);
  snapshot.copy();
  for (const auto& [name, tensor] : originals) {
    if (name == "large" || name == "leaf") tensor.detach().zero_();
  }
  check_equal(snapshot.tensors(), clones);
}

TEST_CASE("several threads share the copying of a snapshot, and each sees all of it afterwards") {
  Snapshot snapshot;
  for (int round = 0; round < 20; ++round) {
    const NamedTensors originals = {{"a", torch::rand({5, 1 << 18})}, {"b", torch::rand({4, 1 << 18})}};
    snapshot.begin(originals);
    bool helper_sees_all = false;
    std::thread helper([&] {
      snapshot.copy();
      helper_sees_all = torch::equal(snapshot.tensors()[1].second, originals[1].second);
    });
    snapshot.copy();
    check_equal(snapshot.tensors(), originals);
    helper.join();
    CHECK(helper_sees_all);
  }
}

TEST_CASE("a snapshot reuses its memory, and takes more when it needs more") {
  Snapshot snapshot;
  const auto data_after = [&](const torch::Tensor& tensor) {
    snapshot.begin({{"a", tensor}});
    snapshot.copy();
    check_equal(snapshot.tensors(), {{"a", tensor}});
    return snapshot.tensors().front().second.data_ptr();
  };
  const void* const first = data_after(torch::rand({1 << 20}));
  CHECK(data_after(torch::rand({1 << 19})) == first);
  CHECK(data_after(torch::rand({1 << 20})) == first);
  data_after(torch::rand({1 << 21}));
}

TEST_CASE("a snapshot refuses what a checkpoint cannot hold, by its name") {
  Snapshot snapshot;
  CHECK_THROWS_WITH(snapshot.begin({{"a", torch::zeros({1})}, {"b", torch::zeros({2}).to_sparse()}}),
                    "tensor 'b' cannot be saved: it is not dense");
}
