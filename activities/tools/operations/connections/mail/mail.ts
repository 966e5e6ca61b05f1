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

/** A person or list, as a mail names them. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** One address of a mail, with the name before it or without. Nothing in it ends a line or begins another address. */
const ADDRESS =
  /^(?:"?(?<name>[^<>"\p{Cc}]{0,200}?)"?\s*<(?<named>[^\s<>,;:"()[\]\\@]{1,64}@[^\s<>,;:"()\\@]{1,255})>|(?<bare>[^\s<>,;:"()[\]\\@]{1,64}@[^\s<>,;:"()\\@]{1,255}))$/u;

/** Reads one address of a mail; undefined when it is none, or more than one. */
export function parseMailAddress(text: string): MailAddress | undefined {
  const { name = '', named, bare } = ADDRESS.exec(text.trim())?.groups ?? {};
  const address = named ?? bare;
  return address === undefined ? undefined : { name: name.trim(), address };
}
