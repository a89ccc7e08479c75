/** An address in the profiled process, in bytes. A double holds it exactly: user space ends below 2^47. */
export type Address = number;

/**
 * An address as an object file states it, as in `nm`, `.symtab` and the program headers. It equals the {@link
 * Address} only for a fixed-address executable; never mix the two.
 */
export type LinkAddress = number;

/** Microseconds since the log was opened. V8 calls the field nanoseconds, which it never was. */
export type Micros = number;

/**
 * A number of ticks, the unit of every weight. A tick is not a time. Whole for logs. Of profiles whose samples have times, samples by
 * their time: a sample that took twice the mean time of all is 2; with two decimals.
 * @minimum 0
 */
export type Ticks = number;

/**
 * In microseconds.
 * @minimum 0
 */
export type Microseconds = number;

/**
 * In milliseconds.
 * @minimum 0
 */
export type Milliseconds = number;

/**
 * Of the document's ticks, with one decimal.
 * @minimum 0
 * @maximum 100
 */
export type Percent = number;

/** @asType integer */
export type Integer = number;

/**
 * @asType integer
 * @minimum 0
 */
export type Count = number;

/**
 * A number from 1 on.
 * @asType integer
 * @minimum 1
 */
export type FromOne = number;

/**
 * A number from 2 on.
 * @asType integer
 * @minimum 2
 */
export type FromTwo = number;
