#include "config/dump.hpp"

#include "config/block.hpp"
#include "config/fields.hpp"
#include "config/yaml_writer.hpp"

namespace lightrun::config {

std::string dump(const RunSpec& spec) {
  RunSpec copy = spec;
  return print_yaml(write_block(describe(copy)));
}

}  // namespace lightrun::config
