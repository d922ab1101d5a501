// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// All of lamcap.  Start with capacity.hpp: facts for a memory, memory for facts.
#include "lamcap/capacity.hpp"
#include "lamcap/count.hpp"
#include "lamcap/critical_load.hpp"
#include "lamcap/estimate.hpp"
#include "lamcap/extreme_value.hpp"
#include "lamcap/gaussian.hpp"
#include "lamcap/hebbian.hpp"
#include "lamcap/listwise.hpp"
#include "lamcap/numerics/minimisation.hpp"
#include "lamcap/numerics/quadrature.hpp"
#include "lamcap/numerics/root_finding.hpp"
#include "lamcap/replica.hpp"
#include "lamcap/scores.hpp"
#include "lamcap/singular_law.hpp"
#include "lamcap/target_score.hpp"
#include "lamcap/version.hpp"
