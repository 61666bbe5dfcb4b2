#include "plugin/search_path.hpp"

#include "plugin/catalog.hpp"
#include "plugin/test_files.hpp"
#include "support/catch.hpp"

#include <lightrun/plugin_note.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

using namespace lightrun::test;
using lightrun::plugin::Catalog;
using lightrun::plugin::find_plugins;
using lightrun::plugin::libraries_in;
using lightrun::plugin::search_path;

namespace {

/// LIGHTRUN_PLUGIN_PATH for the time of a test.
class PluginPath {
 public:
  explicit PluginPath(const std::string& value) {
    if (const char* before = std::getenv(kName)) before_ = before;
    ::setenv(kName, value.c_str(), 1);
  }
  ~PluginPath() { before_ ? ::setenv(kName, before_->c_str(), 1) : ::unsetenv(kName); }
  PluginPath(const PluginPath&) = delete;
  PluginPath& operator=(const PluginPath&) = delete;

 private:
  static constexpr const char* kName = "LIGHTRUN_PLUGIN_PATH";
  std::optional<std::string> before_;
};

std::vector<std::string> names(const Catalog& catalog) {
  std::vector<std::string> names;
  for (const auto& each : catalog.offers) names.push_back(each.offer.name);
  return names;
}

/// A library offering `name`, of at most as many letters as "good".
std::string write_model(const std::string& path, const std::string& name) {
  std::string bytes = read_bytes(built("good"));
  const std::size_t owner = bytes.find(std::string("lightrun\0\0\0\0", 12));
  const std::size_t place =
      owner - offsetof(lightrun::PluginNote, owner) + offsetof(lightrun::PluginNote, name);
  bytes.replace(place, 5, name + std::string(5 - name.size(), '\0'));
  return write_bytes(path, bytes);
}

}  // namespace

TEST_CASE("folders are searched in the documented order") {
  const TempFolder folder;
  for (const char* name : {"flag1", "flag2", "env1", "env2"}) fs::create_directory(folder / name);
  const PluginPath variable(":" + folder / "env1" + "::" + folder / "env2" + ":");
  const std::vector<std::string> path = search_path({folder / "flag1", folder / "flag2"});
  REQUIRE(path.size() >= 6);
  CHECK(path[0] == folder / "flag1");
  CHECK(path[1] == folder / "flag2");
  CHECK(path[2] == folder / "env1");
  CHECK(path[3] == folder / "env2");
  CHECK(path[4] == "./plugins");
  CHECK(fs::weakly_canonical(path[5]) ==
        fs::weakly_canonical(fs::path(LIGHTRUN_BUILD_DIR) / "lib" / "lightrun" / "plugins"));
}

TEST_CASE("a folder given twice is searched once") {
  const TempFolder folder;
  const PluginPath variable(folder.text());
  const std::vector<std::string> path = search_path({folder.text(), folder.text() + "/."});
  CHECK(std::count(path.begin(), path.end(), folder.text()) == 1);
  CHECK(path[1] == "./plugins");
}

TEST_CASE("a folder on the command line has to be there, one in the variable has not") {
  const TempFolder folder;
  const PluginPath variable(folder / "absent");
  CHECK_NOTHROW(search_path({}));
  const std::string absent = refusal_of([&] { (void)search_path({folder / "absent"}); });
  CHECK(absent == "--plugin-dir " + folder / "absent" + ": no such folder; create it, or leave the flag out");
  const std::string file = write_bytes(folder / "file", "x");
  CHECK(contains(refusal_of([&] { (void)search_path({file}); }), "not a folder"));
}

TEST_CASE("libraries are found in a folder and one level below, sorted") {
  const TempFolder folder;
  for (const char* name : {"b.so", "a/z.so", "a/y.so", "a/deep/x.so", "c.txt", "so", "d.so.1"})
    write_bytes(folder / name, "x");
  fs::create_directory(folder / "folder.so");
  CHECK(libraries_in(folder.text()) == std::vector{folder / "a/y.so", folder / "a/z.so", folder / "b.so"});
  CHECK(libraries_in(folder / "absent").empty());
}

TEST_CASE("models are listed in the order of the folders, refused files with their reason") {
  const TempFolder folder;
  write_model(folder / "one/b.so", "late");
  write_model(folder / "two/a.so", "also");
  write_bytes(folder / "two/c.so", "text");
  const Catalog catalog = find_plugins({folder / "two", folder / "absent", folder / "one"});
  REQUIRE(names(catalog) == std::vector<std::string>{"also", "late"});
  CHECK(catalog.offers[0].path == folder / "two/a.so");
  CHECK(catalog.offers[0].offer.help == "One linear layer");
  REQUIRE(catalog.refused.size() == 1);
  CHECK(contains(catalog.refused[0].refusal(), "two/c.so: not an ELF file"));
}

TEST_CASE("one file reached by two paths counts once, two files with one name count both") {
  const TempFolder folder;
  write_model(folder / "a/m.so", "same");
  fs::create_directory(folder / "b");
  fs::create_symlink(folder / "a/m.so", folder / "b/link.so");
  fs::create_hard_link(folder / "a/m.so", folder / "b/hard.so");
  CHECK(names(find_plugins({folder / "a", folder / "b"})) == std::vector<std::string>{"same"});
  write_model(folder / "b/copy.so", "same");
  CHECK(names(find_plugins({folder / "a", folder / "b"})) == std::vector<std::string>{"same", "same"});
}

TEST_CASE("what is installed gives way to the build's plugin of the same name") {
  const TempFolder folder;
  write_model(folder / "build/m.so", "same");
  write_model(folder / "installed/m.so", "same");
  write_model(folder / "installed/n.so", "else");
  const Catalog catalog = find_plugins({folder / "build", folder / "installed"}, folder / "installed");
  REQUIRE(names(catalog) == std::vector<std::string>{"same", "else"});
  CHECK(catalog.offers[0].path == folder / "build/m.so");
}
