import { test } from '@jest/globals';

/** Whether this is `npm run test:long`. */
export const isLong = process.env['EVERTURN_TEST_LENGTH'] === 'long';

/** Returns the size of an arrangement: that of every run, or of the long one. */
export function inLength(inEveryRun: number, inLongRun: number): number {
  return isLong ? inLongRun : inEveryRun;
}

/** Returns the rows of a table of cases that a run covers: all in the long one, otherwise the first of each kind. */
export function casesOf<T extends readonly [unknown, ...unknown[]]>(
  all: readonly T[],
  inEveryRun?: number,
): readonly T[];
export function casesOf<T>(all: readonly T[], inEveryRun?: number): readonly T[];
export function casesOf<T>(all: readonly T[], inEveryRun = 1): readonly T[] {
  return isLong ? all : all.slice(0, inEveryRun);
}

/** Declares a test of the long run. */
export function longTest(title: string, run: () => Promise<void>): void {
  if (isLong) test(title, run);
}
