import type { Membership } from '../../domain/orgs/index.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';

interface MemberBounds {
  readonly perUser: number;
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
export function createMemberLimit({ perUser, perOrg, perProcess }: MemberBounds, what: string): MemberLimit {
  return new ConcurrencyLimit<Membership>(
    [
      { max: perUser, ownerOf: ({ userId }) => userId, refusal: `You have ${perUser} ${what}` },
      { max: perOrg, ownerOf: ({ orgId }) => orgId, refusal: `Your organization has ${perOrg} ${what}` },
      { max: perProcess, ownerOf: () => 'process', refusal: `The server has ${perProcess} ${what}` },
    ],
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
