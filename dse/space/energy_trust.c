/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/energy_trust.h"
#include "dse/out/csv_write.h"
#include "dse/out/words.h"
#include "sim/base/unit.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static bool is_varied(const char *const *varied, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(varied[i], key) == 0)
			return true;
	return false;
}

/* Powers that are 0 are parts of others; actions that cost nothing are not known. */
static void note_zero(struct energy_trust *trust, const struct coefficient *coefficient)
{
	size_t n = strlen(coefficient->key);
	bool is_action = n > 3 && strcmp(coefficient->key + n - 3, "_pj") == 0;
	bool is_known = coefficient->provenance.confidence > CONFIDENCE_ASSUMED;
	if (!is_action || is_known || coefficient->most > 0 || is_varied(trust->zero, trust->n_zero, coefficient->key))
		return;
	assert(trust->n_zero < ENERGY_TRUST_MAX_ZERO);
	trust->zero[trust->n_zero++] = coefficient->key;
}

static void add_coefficient(struct energy_trust *trust, const struct coefficient *coefficient, double amount,
                            bool varies)
{
	double mj = amount * coefficient->value * MJ_PER_PJ;
	trust->by_mj[varies ? CONFIDENCE_UNKNOWN : coefficient->provenance.confidence] += mj;
	trust->least_mj += varies ? mj : amount * coefficient->least * MJ_PER_PJ;
	trust->most_mj += varies ? mj : amount * coefficient->most * MJ_PER_PJ;
	if (amount > 0 && !varies)
		note_zero(trust, coefficient);
}

void energy_trust_of(const struct coefficient *coefficient, size_t n_coefficient, const char *const *varied,
                     size_t n_varied, const struct energy_use *use, struct energy_trust *trust)
{
	assert(coefficient && use && trust);
	struct energy_use amount = *use;
	*trust = (struct energy_trust){0};
	for (size_t i = 0; i < n_coefficient; i++) {
		const double *own = energy_use_find(&amount, coefficient[i].key, coefficient[i].level);
		if (own)
			add_coefficient(trust, &coefficient[i], *own, is_varied(varied, n_varied, coefficient[i].key));
	}
}

double energy_trust_mj(const struct energy_trust *trust)
{
	double sum = 0;
	for (size_t i = 0; i < N_CONFIDENCE; i++)
		sum += trust->by_mj[i];
	return sum;
}

void energy_trust_put_json(struct json *json, const struct energy_trust *trust)
{
	double sum = energy_trust_mj(trust);
	for (int as_pct = 0; as_pct < 2; as_pct++) {
		json_begin_object(json, as_pct ? "energy_by_confidence_pct" : "energy_by_confidence_mj");
		for (int i = N_CONFIDENCE - 1; i >= 0; i--)
			if (trust->by_mj[i] > 0)
				json_put_real(json, confidence_name[i],
				              as_pct ? 100 * trust->by_mj[i] / sum : trust->by_mj[i]);
		json_end(json);
	}
	json_begin_list(json, "energy_interval_mj");
	json_put_real(json, NULL, trust->least_mj);
	json_put_real(json, NULL, trust->most_mj);
	json_end(json);
	json_begin_list(json, "zero_by_assumption");
	for (size_t i = 0; i < trust->n_zero; i++)
		json_put_text(json, NULL, trust->zero[i]);
	json_end(json);
}

void energy_trust_put_csv_names(FILE *file)
{
	csv_put_text(file, false, "energy_least_mj");
	csv_put_text(file, false, "energy_most_mj");
	for (int i = N_CONFIDENCE - 1; i >= 0; i--)
		(void)fprintf(file, ",energy_%s_pct", confidence_name[i]);
}

void energy_trust_put_csv(FILE *file, const struct energy_trust *trust)
{
	double sum = energy_trust_mj(trust);
	csv_put_real(file, false, trust->least_mj);
	csv_put_real(file, false, trust->most_mj);
	for (int i = N_CONFIDENCE - 1; i >= 0; i--)
		csv_put_known(file, false, trust->by_mj[i] > 0 ? 100 * trust->by_mj[i] / sum : (double)NAN);
}

void energy_trust_print(FILE *file, const char *begin, const struct energy_trust *trust)
{
	double sum = energy_trust_mj(trust);
	const char *between = " ";
	struct words_fold fold;
	file = words_fold_begin(&fold, file);
	(void)fprintf(file, "%senergy_mj rests on coefficients", begin);
	for (int i = N_CONFIDENCE - 1; i >= 0; i--) {
		if (!(trust->by_mj[i] > 0))
			continue;
		(void)fprintf(file, "%s%s: %.4g (%.1f %%)", between, confidence_name[i], trust->by_mj[i],
		              100 * trust->by_mj[i] / sum);
		between = ", ";
	}
	(void)fprintf(file, "; %.4g to %.4g within all their intervals", trust->least_mj, trust->most_mj);
	for (size_t i = 0; i < trust->n_zero; i++)
		(void)fprintf(file, "%s%s", i == 0 ? "; 0 by assumption: " : ", ", trust->zero[i]);
	(void)fputc('\n', file);
	words_fold_end(&fold);
}
