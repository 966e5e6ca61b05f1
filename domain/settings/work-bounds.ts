import { z } from 'zod';
import { givenOr } from './given-or.ts';

/** Bounds on the work of one user, and of all organizations of one owner, that runs at once; 0 is unlimited. */
export interface WorkBounds {
  readonly perUser: number;
  readonly perOrg: number;
}

/** Nothing is bounded. */
export const UNBOUNDED: WorkBounds = { perUser: 0, perOrg: 0 };

const MAX_BOUND = 1_000_000;
const MESSAGE = 'must be a whole number from 0 (no limit) to 1000000';

/** Makes a setting for a number of concurrent things, 0 for no limit; empty text counts as not given. */
export function boundSetting(fallback: number) {
  return givenOr(z.coerce.number(MESSAGE).int(MESSAGE).min(0, MESSAGE).max(MAX_BOUND, MESSAGE).default(fallback));
}
