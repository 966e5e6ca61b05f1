import type { Policy } from '../../../domain/permissions/index.ts';
import type { Statement } from '../../core/sql-pool.ts';

/** The chat whose oldest open turn is looked at. */
export interface TurnChat {
  readonly orgId: string;
  readonly chatId: string;
}

/** The user whom a turn works for. */
export interface TurnOwner {
  readonly userId: string;
  /** The user's current policy; null when they are no longer a member of the organization. */
  readonly policy: Policy | null;
}

/**
 * One capability's part of what a look at a turn works with. All parts are read in the round trip of the claim: their
 * statements follow it, one after the other, and see what it has done.
 */
export interface TurnPart<R extends object, Part> {
  statement(chat: TurnChat): Statement<R>;
  /** Makes the part of the rows, restricted to what the owner may use. */
  of(rows: readonly R[], owner: TurnOwner): Part;
}
