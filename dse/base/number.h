/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_NUMBER_H
#define DSE_NUMBER_H
/*
 * Numbers as text, for JSON, CSV and signatures. Fronts hold millions of them,
 * so what C's printf and strtod would say is worked out with integers.
 */

#include <stddef.h>

#define NUMBER_SIZE 32

/*
 * So many digits, 1 to 15, rounded up where they do not say it exactly: whoever takes the text for a limit does not
 * fall short of the value. Whole numbers below 1e15 in full. Finite values.
 */
void number_print_up(double value, int n_digit, char text[NUMBER_SIZE]);

/*
 * Zeros behind a text of the value, so that it shows as many digits as others of its column: "0.13" is "0.13000" with
 * 5. Whole numbers, powers of ten, and texts with as many digits stay.
 */
void number_fill_digits(double value, size_t n_digit, char text[NUMBER_SIZE]);

/* The shortest of 15, 16 or 17 digits that reads back as the same double, laid out as printf's %g does. Any double. */
void number_print(double value, char text[NUMBER_SIZE]);

/*
 * Two numbers as printf's %g has them, with n_digit digits or, where they differ, with as many as it takes for the
 * texts to differ, too.
 */
void number_print_apart(double left, double right, unsigned n_digit, char text[2][NUMBER_SIZE]);

/* For people: as printf's %g has it with n_digit digits, but what is larger than these, below 1e15, as a whole number
 * in full: 12582912 and no 1.25829e+07. Any double. */
void number_print_plain(double value, int n_digit, char text[NUMBER_SIZE]);

/* What printf's %.17g gives. Any double. */
void number_print_17(double value, char text[NUMBER_SIZE]);

#endif
