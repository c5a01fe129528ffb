// SPDX-License-Identifier: Apache-2.0
//
// NSGA-II of pagmo2 (F. Biscani, D. Izzo, "A parallel global multiobjective
// framework for optimization: pagmo", 2020) and ours on the same problems with the
// same settings, one after the other in one process on one core. A development
// tool: built by `make bench-peers` only, never installed. Each runs its own
// implementation of the problems, as a user of it would.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/problems/dtlz.hpp>
#include <pagmo/problems/zdt.hpp>
#include <pagmo/utils/hypervolume.hpp>

#include "tests/peers/ours.h"

namespace
{

constexpr double goal = 5.0; // times pagmo2's evaluations per CPU second

double now_s()
{
	timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct outcome {
	std::vector<double> volume;
	double evaluations = 0, cpu_s = 0;

	double per_s() const
	{
		return evaluations / cpu_s;
	}
	double median()
	{
		std::sort(volume.begin(), volume.end());
		return volume[volume.size() / 2];
	}
};

pagmo::problem make_problem(unsigned number)
{
	if (number == 0)
		return pagmo::problem{pagmo::zdt{1, 30}};
	if (number == 1)
		return pagmo::problem{pagmo::zdt{4, 10}};
	return pagmo::problem{pagmo::dtlz{2, 12, 3}};
}

outcome run_pagmo(unsigned number, unsigned n_seed)
{
	outcome all;
	for (unsigned seed = 1; seed <= n_seed; seed++) {
		double start_s = now_s();
		// The initial population is the first generation, as with ours.
		pagmo::algorithm algorithm{pagmo::nsga2(ours_generations() - 1, 0.9, 15.,
		                                        1. / ours_n_variable(number), 20., seed)};
		pagmo::population population{make_problem(number), ours_population(), seed};
		population = algorithm.evolve(population);
		all.cpu_s += now_s() - start_s;
		all.evaluations += static_cast<double>(population.get_problem().get_fevals());
		pagmo::vector_double reference(number == 2 ? 3 : 2, 1.1);
		std::vector<pagmo::vector_double> inside;
		for (const auto &point : population.get_f()) {
			bool below = true;
			for (double value : point)
				below = below && value < 1.1;
			if (below)
				inside.push_back(point);
		}
		all.volume.push_back(inside.empty() ? 0. : pagmo::hypervolume(inside, true).compute(reference));
	}
	return all;
}

outcome run_ours(unsigned number, unsigned n_seed)
{
	outcome all;
	for (unsigned seed = 1; seed <= n_seed; seed++) {
		double start_s = now_s(), volume = 0;
		if (!ours_run(number, seed, &volume)) {
			std::fprintf(stderr, "out of memory\n");
			std::exit(1);
		}
		all.cpu_s += now_s() - start_s;
		all.evaluations += ours_population() * ours_generations();
		all.volume.push_back(volume);
	}
	return all;
}

} // namespace

int main()
{
	constexpr unsigned n_seed = 21;
	bool reached = true;

	std::printf("NSGA-II, population %u, %u generations, %u seeds, one core\n", ours_population(), ours_generations(),
	            n_seed);
	for (unsigned number = 0; number < 3; number++) {
		outcome theirs = run_pagmo(number, n_seed), ours = run_ours(number, n_seed);
		double ratio = ours.per_s() / theirs.per_s();
		std::printf("%-5s  pagmo2 %9.0f evaluations per CPU second, hypervolume %.5f;"
		            "  dse %9.0f, %.5f;  %.1fx (goal %.0fx)\n",
		            ours_name(number), theirs.per_s(), theirs.median(), ours.per_s(), ours.median(), ratio, goal);
		reached = reached && ratio >= goal;
	}
	return reached ? 0 : 1;
}
