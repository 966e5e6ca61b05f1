import type { Database } from '../../db/core/index.ts';
import { type ClaimedTurn, givePlaces, type StepRef, storePlaceWait } from '../../db/turns/index.ts';
import type { WorkBounds } from '../../domain/settings/index.ts';

export interface PlaceDeps {
  readonly database: Database;
  /** Turns at work at the same time. */
  readonly turnBounds: WorkBounds;
}

/**
 * How long a turn that waits for a place goes without checking by itself. It is woken when it is its turn; but a turn
 * that releases a place looks for waiters in the same statement, and so cannot see one that began to wait at that
 * instant.
 */
const FIRST_LOOK_MS = 1_000;
const NEXT_LOOK_MS = 60_000;

/**
 * Has a turn wait until it may be at work; returns until when at most, in milliseconds since the epoch. That is now
 * when it has been given a place meanwhile, or is to stop.
 */
export async function waitForPlace(
  deps: PlaceDeps,
  ref: StepRef,
  { userId, hasWaitedForPlace, remainingMs }: ClaimedTurn,
): Promise<number> {
  const longest = hasWaitedForPlace ? NEXT_LOOK_MS : FIRST_LOOK_MS;
  const until = Date.now() + Math.min(longest, remainingMs ?? longest);
  if (!(await storePlaceWait(deps.database, ref, new Date(until)))) return Date.now();
  const given = await passPlacesOn(deps, { orgId: ref.orgId, userId });
  return given.includes(ref.turnId) ? Date.now() : until;
}

/** Gives the places that are free to turns that wait for one, and has them woken; returns which. */
export async function passPlacesOn(
  { database, turnBounds }: PlaceDeps,
  owner: { readonly orgId: string; readonly userId: string },
): Promise<string[]> {
  return givePlaces(database, owner, turnBounds);
}
