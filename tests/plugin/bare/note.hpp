#pragma once

#include <lightrun/plugin_note.hpp>

#include <torch/version.h>

/// The note of LIGHTRUN_MODEL, without the model.
#define LIGHTRUN_BARE_NOTE(name)                                                                          \
  [[gnu::used, gnu::section(".note.lightrun"),                                                            \
    gnu::aligned(4)]] static constexpr lightrun::PluginNote kNote =                                       \
      lightrun::detail::plugin_note(lightrun::PluginKind::model, TORCH_VERSION, "g++ " __VERSION__, name, \
                                    "announced, not there")
