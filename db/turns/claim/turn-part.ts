import type { Policy } from '../../../domain/permissions/index.ts';

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

/** One capability's part of what a step of a turn works with. */
export interface TurnPart<R extends object, Part> {
  /** Reads the rows of the chat `$1` of the organization `$2`. */
  readonly text: string;
  /** Makes the part of the rows, which are read as JSON, restricted to what the owner may use. */
  of(rows: readonly R[], owner: TurnOwner): Part;
}
