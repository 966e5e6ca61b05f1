/** Which mails of a folder are looked for; all of the given ones have to fit. */
export interface MailQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly subject?: string | undefined;
  /** Words anywhere in the mail. */
  readonly text?: string | undefined;
  /** The first day, such as `2026-11-01`. */
  readonly since?: string | undefined;
  /** The day after the last one. */
  readonly before?: string | undefined;
  readonly seen?: boolean | undefined;
  readonly flagged?: boolean | undefined;
}

/** A mail as lists show it. */
export interface ListedMail {
  readonly uid: number;
  readonly date: string | null;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly seen: boolean;
  readonly flagged: boolean;
  readonly bytes: number;
}

/** A mailbox that is signed in to. A mail is named by its `uid` in its folder. */
export interface Mailbox {
  folders(): Promise<readonly string[]>;
  /** Returns mails of a folder, newest first, those below `beforeUid` if given, and how many fit. */
  find(
    folder: string,
    query: MailQuery,
    page: { readonly limit: number; readonly beforeUid: number | undefined },
  ): Promise<{ readonly mails: readonly ListedMail[]; readonly total: number }>;
  /** Returns a whole mail as it was sent; throws when it is not there, or larger than `maxBytes`. It stays unseen. */
  read(folder: string, uid: number, maxBytes: number): Promise<Buffer>;
  /** Sets marks; those that are undefined stay. Returns whether the mail is there. */
  mark(
    folder: string,
    uid: number,
    marks: { seen: boolean | undefined; flagged: boolean | undefined },
  ): Promise<boolean>;
  /** Moves a mail to another folder. Returns whether it was there. */
  move(folder: string, uid: number, to: string): Promise<boolean>;
}
