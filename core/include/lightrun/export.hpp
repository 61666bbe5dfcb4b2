#pragma once

/// Marks what crosses a shared library's border. Everything else is hidden, so that two plugins with one
/// class name do not share statics.
#define LIGHTRUN_API __attribute__((visibility("default")))
