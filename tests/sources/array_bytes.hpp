#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

/// The bytes of the formats that hold arrays, written by their specifications.
namespace lightrun::tests {

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// numpy.lib.format: magic, version, length of the header, header, data.
inline std::string npy_bytes(const std::string& header, const std::string& data, char version = 1) {
  std::string text = header;
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string length;
  for (std::size_t i = 0; i < before - 8; ++i) length += static_cast<char>(text.size() >> (8 * i) & 0xff);
  return std::string("\x93NUMPY") + version + '\0' + length + text + data;
}

inline std::string npy_header(const std::string& type, const std::string& shape, bool is_fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (is_fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

/// A magic number, each dimension in 4 bytes, big-endian, then the bytes.
inline std::string idx_bytes(const std::vector<uint32_t>& shape, const std::string& data) {
  std::string text = {0, 0, 8, static_cast<char>(shape.size())};
  for (const uint32_t size : shape)
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(size >> shift & 0xff);
  return text + data;
}

inline std::string gzipped(const std::string& bytes, const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "wb");
  const bool is_written = gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())) > 0;
  if (gzclose(file) != Z_OK || !is_written) throw std::runtime_error("cannot write " + path);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Rows of CIFAR: the labels, then an image whose bytes count up from the first label, in each channel
/// from one more.
inline std::string cifar_row(const std::vector<uint8_t>& labels) {
  std::string row = bytes_of(labels);
  for (int i = 0; i < 3 * 32 * 32; ++i) row += static_cast<char>(labels.front() + i / 1024 + i);
  return row;
}

}  // namespace lightrun::tests
