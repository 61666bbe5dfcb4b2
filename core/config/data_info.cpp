#include <lightrun/data_info.hpp>
#include <lightrun/error.hpp>

#include <algorithm>

namespace lightrun {

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
