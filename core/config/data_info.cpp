#include <lightrun/data_info.hpp>
#include <lightrun/error.hpp>

#include <algorithm>

namespace lightrun {

int64_t FieldInfo::size(std::size_t dimension) const {
  if (dimension < shape.size()) return shape[dimension];
  std::string sizes;
  for (const int64_t each : shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(each);
  throw ConfigError("data.train: samples of field '" + name + "' have the shape [" + sizes +
                    "], and the model wants " + std::to_string(dimension + 1) + " or more dimensions");
}

const FieldInfo* DataInfo::find(std::string_view name) const {
  const auto at = std::ranges::find(fields, name, &FieldInfo::name);
  return at == fields.end() ? nullptr : &*at;
}

const FieldInfo& DataInfo::at(std::string_view name) const {
  if (const FieldInfo* field = find(name)) return *field;
  std::string names;
  for (const FieldInfo& field : fields) names += (names.empty() ? "" : ", ") + field.name;
  throw RunError("the data has no field '" + std::string(name) + "'; it has " +
                 (names.empty() ? "none: give data.train" : names));
}

}  // namespace lightrun
