/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes that lie dormant in the code (tests/mutate/guard.awk puts them there): MUTANT=n in the environment makes the n-th.
 * Without it each marks that a test might notice it: it was reached and, where both values can be had for the asking,
 * they differed. Copied into the private tree beside the headers of sim/base.
 */
#ifndef MUTANT_H
#define MUTANT_H

extern int mutant_now;              /* the change that is made, 0: none */
extern unsigned char *mutant_marks; /* [n], '1' where one was reached */

/* Reads often, writes once: threads do not take the line from each other. */
#define MUTANT_MARK(n) ((void)(mutant_marks[n] == '1' || (mutant_marks[n] = '1')))

/* Operands without side effects. */
#define MUTANT_VALUE(n, old, new)                                                                                      \
	(mutant_now == (n) ? (new) : ((void)(mutant_now == 0 && (old) != (new) && (MUTANT_MARK(n), 1)), (old)))
/* Operands that call or set something. */
#define MUTANT_REACHED(n, old, new) (mutant_now == (n) ? (new) : (MUTANT_MARK(n), (old)))
/* "a && b" and "a || b" are the same where both are true, and where both are false. */
#define MUTANT_AND(n, old, new) (mutant_now == (n) ? (new) : (old) ? 1 : (MUTANT_MARK(n), 0))
#define MUTANT_OR(n, old, new) (mutant_now == (n) ? (new) : (old) ? (MUTANT_MARK(n), 1) : 0)
#define MUTANT_STATEMENT(n, ...)                                                                                       \
	{                                                                                                              \
		if (mutant_now != (n)) {                                                                               \
			MUTANT_MARK(n);                                                                                \
			__VA_ARGS__                                                                                    \
		}                                                                                                      \
	}

#endif
