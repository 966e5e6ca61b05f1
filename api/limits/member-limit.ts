import type { Membership } from '../../domain/orgs/index.ts';
import type { Payers } from '../../db/core/index.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';

interface MemberBounds {
  readonly perUser: number;
  /** Counted for all organizations of one owner together. */
  readonly perOrg: number;
  readonly perProcess: number;
}

/** Bounds the concurrent things of one kind that members have. */
export type MemberLimit = ConcurrencyLimit<Membership>;

const RETRY_AFTER_SECONDS = 5;

/**
 * Creates a limit.
 *
 * @param what the noun after the number in the error, with advice.
 */
export function createMemberLimit(
  { perUser, perOrg, perProcess }: MemberBounds,
  what: string,
  payers: Pick<Payers, 'known'>,
): MemberLimit {
  return new ConcurrencyLimit<Membership>(
    [
      { max: perUser, ownerOf: ({ userId }) => userId, refusal: `You have ${perUser} ${what}` },
      {
        max: perOrg,
        ownerOf: ({ orgId }) => payers.known(orgId).ownerId,
        refusal: `Your organization, with all others of its owner, has ${perOrg} ${what}`,
      },
      { max: perProcess, ownerOf: () => 'process', refusal: `The server has ${perProcess} ${what}` },
    ],
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
