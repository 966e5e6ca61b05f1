/** A mail that is to be sent. Addresses are such as `a@example.com` or `Ada <a@example.com>`. */
export interface OutgoingMail {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly replyTo: string | undefined;
  readonly subject: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  /** The `Message-ID` of the mail that it answers. */
  readonly inReplyTo: string | undefined;
  readonly attachments: readonly { readonly name: string; readonly content: Buffer }[];
  /** Set for a mail that nobody has asked for now: programs that answer mails leave it alone (RFC 3834). */
  readonly isAutomatic?: true;
  /** The same each time that this mail is sent: its `Message-ID` is made of it. */
  readonly key: string;
}

/** What the server has said of a mail. */
export interface SentMail {
  readonly messageId: string;
  readonly accepted: readonly string[];
  /** Addresses that it takes no mail for. */
  readonly rejected: readonly string[];
}
