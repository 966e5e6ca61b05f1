import { ConcurrencyLimit } from './concurrency-limit.ts';

/** Who does something: a user, in an organization. */
interface Member {
  readonly userId: string;
  readonly orgId: string;
}

interface MemberBounds {
  readonly perUser: number;
  readonly perOrg: number;
  readonly perProcess: number;
}

/** Bounds how many things of one kind members have under way at once. */
export type MemberLimit = ConcurrencyLimit<Member>;

const RETRY_AFTER_SECONDS = 5;

/**
 * Creates a limit.
 *
 * @param what goes behind a number in the words of a refusal, and says what to do.
 */
export function createMemberLimit({ perUser, perOrg, perProcess }: MemberBounds, what: string): MemberLimit {
  return new ConcurrencyLimit<Member>(
    [
      { max: perUser, ownerOf: ({ userId }) => userId, refusal: `You have ${perUser} ${what}` },
      { max: perOrg, ownerOf: ({ orgId }) => orgId, refusal: `Your organization has ${perOrg} ${what}` },
      { max: perProcess, ownerOf: () => 'process', refusal: `The server has ${perProcess} ${what}` },
    ],
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
