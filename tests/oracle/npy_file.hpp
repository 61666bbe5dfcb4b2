#pragma once

#include <torch/types.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

/// Reads `.npy` files: numpy/lib/format.py, versions 1 and 2, little-endian, in C order.
namespace oracle {

namespace npy {

inline torch::Dtype dtype_of(const std::string& descr) {
  static const std::map<std::string, torch::Dtype> kTypes = {
      {"<f4", torch::kFloat32}, {"<f8", torch::kFloat64}, {"<i8", torch::kInt64},
      {"<i4", torch::kInt32},   {"|u1", torch::kUInt8},   {"|b1", torch::kBool}};
  const auto found = kTypes.find(descr);
  if (found == kTypes.end()) throw std::runtime_error("its type " + descr + " is none that is read here");
  return found->second;
}

/// The part of the header's dictionary that `pattern` captures.
inline std::string entry(const std::string& header, const std::string& pattern) {
  std::smatch match;
  if (!std::regex_search(header, match, std::regex(pattern))) {
    throw std::runtime_error("its header is not understood: " + header);
  }
  return match[1];
}

inline std::vector<int64_t> sizes_of(const std::string& shape) {
  static const std::regex kNumber("[0-9]+");
  std::vector<int64_t> sizes;
  for (std::sregex_iterator number(shape.begin(), shape.end(), kNumber), end; number != end; ++number) {
    sizes.push_back(std::stoll(number->str()));
  }
  return sizes;
}

/// The header's dictionary as text; the file stands behind it afterwards.
inline std::string read_header(std::ifstream& file) {
  std::string start(8, '\0');
  file.read(start.data(), 8);
  if (!start.starts_with("\x93NUMPY")) throw std::runtime_error("it is no .npy file");
  const int length_bytes = start[6] == 1 ? 2 : 4;
  std::size_t length = 0;
  for (int i = 0; i < length_bytes; ++i) length |= static_cast<std::size_t>(file.get() & 0xff) << (8 * i);
  std::string header(length, '\0');
  file.read(header.data(), static_cast<std::streamsize>(length));
  return header;
}

}  // namespace npy

/// Throws std::runtime_error, naming the file, where it cannot be read.
inline torch::Tensor read_npy(const std::string& path) try {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("it cannot be opened");
  const std::string header = npy::read_header(file);
  if (npy::entry(header, "'fortran_order': *(\\w+)") != "False") {
    throw std::runtime_error("it is in Fortran order");
  }
  auto tensor = torch::empty(npy::sizes_of(npy::entry(header, "'shape': *\\(([^)]*)\\)")),
                             npy::dtype_of(npy::entry(header, "'descr': *'([^']*)'")));
  file.read(static_cast<char*>(tensor.data_ptr()), static_cast<std::streamsize>(tensor.nbytes()));
  if (!file) throw std::runtime_error("it ends early");
  return tensor;
} catch (const std::runtime_error& error) {
  throw std::runtime_error(path + ": " + error.what());
}

}  // namespace oracle
