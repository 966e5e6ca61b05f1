import { MAIL_ADDRESS } from './host-names.ts';

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
