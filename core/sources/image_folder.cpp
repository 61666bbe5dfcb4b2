#include "sources/check_path.hpp"
#include "sources/image_file.hpp"
#include "sources/source.hpp"
#include "support/quantity.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

namespace lightrun::sources {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderClasses = "image_folder.classes";

struct Image {
  std::string path;
  std::size_t folder;
};

class ImageFolder : public SampleDataset {
 public:
  ImageFolder(const config::ImageFolderSource& spec, std::vector<Image> images,
              std::vector<int64_t> class_of_folder, std::vector<std::string> classes)
      : spec_(spec),
        images_(std::move(images)),
        class_of_folder_(std::move(class_of_folder)),
        classes_(std::move(classes)) {}

  [[nodiscard]] int64_t size() const override { return static_cast<int64_t>(images_.size()); }
  [[nodiscard]] bool is_concurrent() const override { return true; }

  [[nodiscard]] Batch sample(int64_t index) override {
    const Image& image = images_[static_cast<std::size_t>(index)];
    const auto bytes = read_image(image.path, spec_.channels);
    const std::vector<int64_t> own = {bytes.size(1), bytes.size(2)};
    if (!spec_.size) check_size(image.path, own);
    return {{"image", resized(bytes, spec_.size.value_or(own))},
            {"label", torch::tensor(class_of_folder_[image.folder], torch::kInt64)}};
  }

  [[nodiscard]] DataInfo describe() override {
    DataInfo info = SampleDataset::describe();
    for (FieldInfo& field : info.fields) {
      if (field.name != "label") continue;
      field.classes = static_cast<int64_t>(classes_.size());
      field.labels = classes_;
    }
    return info;
  }

 private:
  /// Images of several sizes cannot be stacked.
  void check_size(const std::string& path, const std::vector<int64_t>& size) {
    const std::lock_guard lock(mutex_);
    if (first_size_.empty()) {
      first_size_ = size;
      first_path_ = path;
    }
    if (size == first_size_) return;
    throw RunError(fmt::format("{}: is of {} x {} pixels, but {} of {} x {}; give `size: [height, width]`",
                               path, size[1], size[0], first_path_, first_size_[1], first_size_[0]));
  }

  config::ImageFolderSource spec_;
  std::vector<Image> images_;
  std::vector<int64_t> class_of_folder_;
  std::vector<std::string> classes_;
  std::mutex mutex_;
  std::vector<int64_t> first_size_;
  std::string first_path_;
};

/// Names in a folder, sorted; hidden ones left out.
struct Entries {
  std::vector<std::string> files;
  std::vector<std::string> folders;
};

Entries entries_of(const std::string& folder) {
  Entries entries;
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    std::string name = at->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code unknown;  // what a link that leads nowhere is: a file
    (at->is_directory(unknown) ? entries.folders : entries.files).push_back(std::move(name));
  }
  if (error) throw RunError(folder + ": cannot be read: " + error.message());
  std::ranges::sort(entries.files);
  std::ranges::sort(entries.folders);
  return entries;
}

/// Whether its name ends like that of an image of a format that is not read; then `ending` is that, small.
bool is_foreign_image(const std::string& name, std::string& ending) {
  constexpr auto kForeign = std::to_array<std::string_view>(
      {".webp", ".bmp", ".gif", ".tif", ".tiff", ".avif", ".heic", ".heif", ".jp2", ".jxl", ".ppm", ".pgm"});
  ending = support::lower_case(fs::path(name).extension().string());
  return std::ranges::find(kForeign, ending) != kForeign.end();
}

/// What looks like images and is not read, for one warning.
struct LeftOut {
  int64_t foreign = 0;
  std::set<std::string> endings;
  int64_t subfolders = 0;  ///< of class folders
  int64_t loose = 0;       ///< images beside the class folders

  void count_foreign(const std::string& name) {
    std::string ending;
    if (!is_foreign_image(name, ending)) return;
    ++foreign;
    endings.insert(ending);
  }

  /// "5 files (.bmp, .webp), 1 subfolder"; "" if nothing is.
  [[nodiscard]] std::string text() const {
    std::vector<std::string> parts;
    if (foreign > 0) {
      parts.push_back(fmt::format("{} ({})", support::counted(foreign, "file", "files"),
                                  support::join({endings.begin(), endings.end()})));
    }
    if (subfolders > 0) parts.push_back(support::counted(subfolders, "subfolder", "subfolders"));
    if (loose > 0) parts.push_back(support::counted(loose, "image", "images") + " beside the class folders");
    return support::join(parts);
  }
};

class ImageFolderSource : public Source {
 public:
  explicit ImageFolderSource(const config::ImageFolderSource& spec) : spec_(spec) {
    Entries top = entries_of(spec.path);
    folders_ = std::move(top.folders);
    if (folders_.empty())
      throw WrongSetting("path", spec.path + ": holds no folders; each class has one of its own");
    LeftOut left_out;
    for (const std::string& name : top.files) {
      left_out.count_foreign(name);
      if (is_image_name(name)) ++left_out.loose;
    }
    for (std::size_t i = 0; i < folders_.size(); ++i) {
      const std::string folder = (fs::path(spec.path) / folders_[i]).string();
      const std::size_t before = images_.size();
      const Entries inside = entries_of(folder);
      for (const std::string& name : inside.files) {
        left_out.count_foreign(name);
        if (is_image_name(name)) images_.push_back({(fs::path(folder) / name).string(), i});
      }
      left_out.subfolders += static_cast<int64_t>(inside.folders.size());
      if (images_.size() == before) throw WrongSetting("path", folder + ": holds no PNG or JPEG files");
    }
    if (const std::string text = left_out.text(); !text.empty())
      spdlog::warn("{}: left out: {}; only PNG and JPEG files in the class folders are read", spec.path,
                   text);
  }

  [[nodiscard]] std::optional<int64_t> size() const override { return static_cast<int64_t>(images_.size()); }

  void learn(std::span<const int64_t> /*rows*/, StateDict& learned) const override {
    learned.set(kFolderClasses, folders_);
  }

  [[nodiscard]] DataLoader open(const StateDict& learned) const override {
    const auto& classes = learned.get<std::vector<std::string>>(kFolderClasses);
    std::vector<int64_t> class_of_folder;
    for (const std::string& folder : folders_) {
      const auto at = std::ranges::find(classes, folder);
      if (at == classes.end())
        throw RunError(spec_.path + ": its folder '" + folder + "' is no class of the training data");
      class_of_folder.push_back(at - classes.begin());
    }
    return {std::make_shared<ImageFolder>(spec_, images_, std::move(class_of_folder), classes)};
  }

 private:
  config::ImageFolderSource spec_;
  std::vector<std::string> folders_;
  std::vector<Image> images_;
};

}  // namespace

std::unique_ptr<Source> open_source(const config::ImageFolderSource& spec) {
  check_folder("path", spec.path);
  return std::make_unique<ImageFolderSource>(spec);
}

}  // namespace lightrun::sources
