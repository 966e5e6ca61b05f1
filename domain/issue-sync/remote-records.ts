/** Whether an issue is open at its host, and how it was closed. */
export type RemoteState = 'open' | 'done' | 'dropped';

/** An issue as its host tells of it, in texts that can be stored and shown here. */
export interface RemoteIssue {
  /** Its id among all issues of the host. */
  readonly externalId: string;
  /** Its number in its repository. */
  readonly number: number;
  readonly title: string;
  readonly description: string;
  readonly state: RemoteState;
  readonly labels: readonly string[];
  /** The name of its author at the host; undefined where that is not told, null for an account that is gone. */
  readonly author: string | null | undefined;
  /** Where people see it; null when that is no web address. */
  readonly url: string | null;
  readonly createdAt: Date;
  /** To the second: hosts tell of one change in more or less detail. */
  readonly updatedAt: Date;
  readonly hasComments: boolean;
}

/** A comment as its host tells of it. */
export interface RemoteComment {
  readonly externalId: string;
  /** The number of its issue. */
  readonly issueNumber: number;
  readonly content: string;
  readonly author: string | null;
  readonly url: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
