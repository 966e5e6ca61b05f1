import { z } from 'zod';
import { givenOr } from './given-or.ts';

/** How much one user, and one organization, may have at work at the same time; 0 is unlimited. */
export interface WorkBounds {
  readonly perUser: number;
  readonly perOrg: number;
}

/** Nothing is bounded. */
export const UNBOUNDED: WorkBounds = { perUser: 0, perOrg: 0 };

const MAX_BOUND = 1_000_000;
const MESSAGE = 'must be a whole number from 0 (no limit) to 1000000';

/** A setting that is a number of things at once, 0 for no limit; empty text counts as not given. */
export function boundSetting(fallback: number) {
  return givenOr(z.coerce.number(MESSAGE).int(MESSAGE).min(0, MESSAGE).max(MAX_BOUND, MESSAGE).default(fallback));
}
