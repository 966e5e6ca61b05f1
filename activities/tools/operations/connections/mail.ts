import { MAIL_ADDRESS } from '../../../../domain/network/index.ts';

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
interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** An address after a name. Nothing in the name ends a line or begins another address. */
const NAMED = /^"?(?<name>[^<>"\p{Cc}]{0,200}?)"?\s*<(?<address>[^<>]{1,320})>$/u;

/** Reads one address of a mail, with a name before it or without; undefined when it is none, or more than one. */
export function parseMailAddress(text: string): MailAddress | undefined {
  const bare = text.trim();
  const { name = '', address = bare } = NAMED.exec(bare)?.groups ?? {};
  return MAIL_ADDRESS.test(address) ? { name: name.trim(), address } : undefined;
}
