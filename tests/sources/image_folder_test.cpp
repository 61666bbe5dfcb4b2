#include "sources/image_files.hpp"
#include "sources/opened.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace lightrun;
using namespace lightrun::tests;

namespace {

std::vector<float> pixel(const Batch& batch, int64_t image) {
  return numbers_of<float>((batch["image"][image].select(2, 0).select(1, 0) * 255).round());
}

}  // namespace

TEST_CASE("a folder is a class, and its PNG and JPEG files, in capitals or not, are its images") {
  const TemporaryFolder folder;
  write_plain_png(folder / "red/1.png", {255, 0, 0}, 4, 6);
  write_plain_jpeg(folder / "blue/b.JPG", {0, 0, 255}, 4, 6);
  write_plain_jpeg(folder / "blue/c.jpeg", {128}, 4, 6);
  write_file(folder / "blue/notes.txt", "no image");
  std::filesystem::create_directories(folder / ".cache");
  const auto data = opened(config::ImageFolderSource{.path = folder.path().string()});
  const Batch all = all_of(*data);
  CHECK(data->is_concurrent());
  CHECK(all["image"].sizes() == torch::IntArrayRef({3, 3, 4, 6}));
  CHECK(numbers_of<int64_t>(all["label"]) == Whole{0, 0, 1});
  CHECK(pixel(all, 0)[2] > 250);
  CHECK(pixel(all, 1) == Floats{128, 128, 128});
  CHECK(pixel(all, 2) == Floats{255, 0, 0});
  const DataInfo info = data->describe();
  CHECK(info.at("label").labels == Texts{"blue", "red"});
  CHECK(info.at("label").classes == 2);
  CHECK(info.at("image").shape == Whole{3, 4, 6});
  const auto grey = opened(config::ImageFolderSource{.path = folder.path().string(), .channels = 1});
  CHECK(all_of(*grey)["image"].sizes() == torch::IntArrayRef({3, 1, 4, 6}));
}

TEST_CASE("images of several sizes need a size, to which they are stretched") {
  const TemporaryFolder folder;
  write_plain_png(folder / "a/1.png", {255, 255, 255}, 4, 6);
  write_plain_png(folder / "a/2.png", {51, 51, 51}, 8, 2);
  config::ImageFolderSource spec = {.path = folder.path().string()};
  CHECK(fault_of(spec) == (folder / "a/2.png").string() + ": is of 2 x 8 pixels, but " +
                              (folder / "a/1.png").string() + " of 6 x 4; give `size: [height, width]`");
  spec.size = Whole{3, 5};
  const Batch all = all_of(*opened(spec));
  CHECK(all["image"].sizes() == torch::IntArrayRef({2, 3, 3, 5}));
  CHECK(all["image"][1].allclose(torch::full({3, 3, 5}, 0.2)));
}

TEST_CASE("red is 76 of 255 in grey, in a PNG as in a JPEG") {
  const TemporaryFolder folder;
  write_plain_png(folder / "a.png", {255, 0, 0}, 8, 8);
  write_plain_jpeg(folder / "a.jpg", {255, 0, 0}, 8, 8);
  for (const char* name : {"a.png", "a.jpg"}) {
    const auto grey = sources::read_image((folder / name).string(), 1);
    CHECK(grey.sizes() == torch::IntArrayRef({1, 8, 8}));
    CHECK(grey.eq(76).all().item<bool>());
  }
}

TEST_CASE("a PNG of 16 bits becomes 8, and transparency is dropped, both without gamma") {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.png").string();
  write_raw_png(path, PNG_COLOR_TYPE_GRAY, 16, {0x80, 0x00, 0xff, 0xff});
  CHECK(numbers_of<uint8_t>(sources::read_image(path, 1)) == std::vector<uint8_t>{128, 255});
  write_raw_png(path, PNG_COLOR_TYPE_RGB_ALPHA, 8, {200, 100, 50, 0, 1, 2, 3, 128});
  CHECK(numbers_of<uint8_t>(sources::read_image(path, 3)) == std::vector<uint8_t>{200, 1, 100, 2, 50, 3});
  write_raw_png(path, PNG_COLOR_TYPE_GRAY_ALPHA, 8, {200, 0, 7, 255});
  CHECK(numbers_of<uint8_t>(sources::read_image(path, 1)) == std::vector<uint8_t>{200, 7});
}

TEST_CASE("jpe and jfif are JPEG; images of other formats or in other places are counted in one warning") {
  const TemporaryFolder folder;
  write_plain_jpeg(folder / "a/1.jpe", {128}, 2, 2);
  write_plain_jpeg(folder / "a/2.JFIF", {128}, 2, 2);
  write_file(folder / "a/.DS_Store", "");
  write_file(folder / "a/notes.txt", "");
  const auto warning = [&] {
    const auto before = spdlog::default_logger();
    std::ostringstream said;
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::ostream_sink_mt>(said)));
    spdlog::default_logger()->set_pattern("%v");
    CHECK(opened(config::ImageFolderSource{.path = folder.path().string()})->size() == 2);
    spdlog::set_default_logger(before);
    return said.str();
  };
  CHECK(warning().empty());
  for (const char* name : {"a/3.webp", "a/4.BMP", "a/5.bmp"}) write_file(folder / name, "");
  write_plain_png(folder / "a/more/1.png", {1, 2, 3}, 2, 2);
  write_plain_png(folder / "loose.png", {1, 2, 3}, 2, 2);
  CHECK(warning() == folder.path().string() +
                         ": left out: 3 files (.bmp, .webp), 1 subfolder, 1 image beside the class folders; "
                         "only PNG and JPEG files in the class folders are read\n");
}

TEST_CASE("resizing averages where it shrinks") {
  const auto stripes = torch::tensor({0, 255, 0, 255}, torch::kUInt8).expand({1, 2, 4});
  CHECK(sources::resized(stripes, {1, 1}).item<float>() == Approx(0.5));
}

TEST_CASE("what is transparent keeps its colour, and an image of too many pixels is damage") {
  const TemporaryFolder folder;
  const std::string path = (folder / "1.png").string();
  // Transparent red, green.
  write_file(
      path,
      std::string(
          "\211PNG\015\012\032\012\000\000\000\015IHDR\000\000\000\002\000\000\000\001\010\006\000\000"
          "\000\364\042\177\212\000\000\000\020IDATx\234c\370\317\000\004\377\031\376\003\000\013\375\002"
          "\376\350\356\310I\000\000\000\000IEND\256B`\202",
          73));
  CHECK(numbers_of<uint8_t>(sources::read_image(path, 3).permute({1, 2, 0})) ==
        std::vector<uint8_t>{255, 0, 0, 0, 255, 0});
  // 20000 x 20000, and not a byte of them.
  write_file(
      path,
      std::string(
          "\211PNG\015\012\032\012\000\000\000\015IHDR\000\000N \000\000N \010\002\000\000\000l\022\321n"
          "\000\000\000\010IDATx\234\003\000\000\000\000\001H\006\211\322\000\000\000\000IEND\256B`\202",
          65));
  CHECK_THROWS_WITH(sources::read_image(path, 3), path + ": is of 20000 x 20000 pixels, too many");
}

TEST_CASE("a damaged image is an error with its path when it is read") {
  const TemporaryFolder folder;
  const std::string path = (folder / "a/1.png").string();
  const auto fault = [&] { return fault_of(config::ImageFolderSource{.path = folder.path().string()}); };
  write_plain_png(path, {255, 0, 0}, 40, 40);
  const std::string png = read_file(path);
  write_file(path, png.substr(0, png.size() / 2));
  CHECK(fault().starts_with(path + ": is no readable PNG: "));
  write_file(path, "GIF89a");
  CHECK(fault() == path + ": is neither PNG nor JPEG");
  write_file(path, "");
  CHECK(fault() == path + ": is neither PNG nor JPEG");
  write_plain_jpeg(path, {255, 0, 0}, 40, 40);
  const std::string jpeg = read_file(path);
  for (const std::size_t size : {jpeg.size() / 2, jpeg.size() - 4}) {  // in its header, in its last pixels
    write_file(path, jpeg.substr(0, size));
    CHECK(fault().starts_with(path + ": is no readable JPEG: "));
  }
}

TEST_CASE("a folder without classes, or a class without images, is refused") {
  const TemporaryFolder folder;
  const auto fault = [&] { return fault_of(config::ImageFolderSource{.path = folder.path().string()}); };
  CHECK(fault() == folder.path().string() + ": holds no folders; each class has one of its own");
  write_plain_png(folder / "a/1.png", {1, 2, 3}, 2, 2);
  std::filesystem::create_directories(folder / "b");
  CHECK(fault() == (folder / "b").string() + ": holds no PNG or JPEG files");
  CHECK(fault_of(config::ImageFolderSource{.path = "nowhere"}) == "nowhere: there is no such folder");
}

TEST_CASE("classes of another folder are numbered as in training, and a new one is refused") {
  const TemporaryFolder folder;
  for (const char* name : {"train/a/1.png", "train/b/1.png", "val/b/1.png", "other/c/1.png"})
    write_plain_png(folder / name, {1, 2, 3}, 2, 2);
  StateDict learned;
  const auto source_of = [&](const char* name) {
    return sources::open_source(config::ImageFolderSource{.path = (folder / name).string()});
  };
  source_of("train")->learn({}, learned);
  CHECK(numbers_of<int64_t>(all_of(*source_of("val")->open(learned).dataset)["label"]) == Whole{1});
  CHECK_THROWS_WITH(source_of("other")->open(learned),
                    (folder / "other").string() + ": its folder 'c' is no class of the training data");
}
