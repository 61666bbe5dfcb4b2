#pragma once

/// All a plugin needs.

#include <lightrun/batch.hpp>
#include <lightrun/callback.hpp>
#include <lightrun/context.hpp>
#include <lightrun/data.hpp>
#include <lightrun/data_info.hpp>
#include <lightrun/error.hpp>
#include <lightrun/event.hpp>
#include <lightrun/make.hpp>
#include <lightrun/module.hpp>
#include <lightrun/optimizers.hpp>
#include <lightrun/params.hpp>
#include <lightrun/plugin.hpp>
#include <lightrun/state_dict.hpp>
#include <lightrun/step.hpp>
#include <lightrun/trainer.hpp>
