import { plainLine, toStorableText } from './core/text.ts';
import { MAIL_ADDRESS } from './network/host-names.ts';

/** A header of a mail, unfolded. */
export interface MailHeader {
  /** Its name, in lower case. */
  readonly key: string;
  readonly value: string;
}

/** Where mail for a channel is received. */
export interface ChannelMailbox {
  /** Its address, which answers name with a tag behind `+` as the one to reply to. */
  readonly address: string;
  /** The name of its mail service in `Authentication-Results`. */
  readonly authService: string;
}

/** The headers of a mail that its answer needs. */
export interface AnsweredMail {
  readonly subject: string;
  /** Its `Message-ID`; null where it has none that can be referred to. */
  readonly messageId: string | null;
  /** The address whose mails continue the same chat. */
  readonly replyTo: string;
}

/** The head of a mail, as far as it decides whether it is answered. */
export interface MailHead {
  /** The topmost first. */
  readonly headers: readonly MailHeader[];
  /** As `senderOf` finds it. */
  readonly sender: string | undefined;
  /** The addresses of `To` and `Cc`, in lower case. */
  readonly recipients: readonly string[];
}

/** Why a mail is ignored. */
export const MAIL_ISSUES = ['automatic', 'faulty', 'recipients', 'unauthenticated'] as const;

export type MailIssue = (typeof MAIL_ISSUES)[number];

const MAX_RECIPIENTS = 100;

/** Returns why a mail is ignored; undefined for one of a sender whose domain is authenticated. */
export function mailIssue(
  { headers, sender, recipients }: MailHead,
  { address, authService }: ChannelMailbox,
): MailIssue | undefined {
  if (sender === undefined) return 'faulty';
  if (isOfMailbox(sender, address) || headers.some(isOfProgram)) return 'automatic';
  if (recipients.length > MAX_RECIPIENTS) return 'recipients';
  return isAuthenticated(headers, authService, domainOf(sender)) ? undefined : 'unauthenticated';
}

/**
 * Returns the address that a mail is from, its letters of ASCII in lower case; undefined unless it has exactly one that
 * nobody takes for another: the server that authenticates its domain may read differently what is none of RFC 5322.
 */
export function senderOf(headers: readonly MailHeader[]): string | undefined {
  const [from = '', ...others] = valuesOf(headers, 'from');
  if (others.length > 0 || /[^\P{Cc}\t]/u.test(from)) return undefined;
  const address = addressIn(withoutComments(from, () => '"') ?? '');
  return MAIL_ADDRESS.test(address) ? address.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) : undefined;
}

// With a tag or without: answers go to neither.
function isOfMailbox(sender: string, address: string): boolean {
  return sender === address.toLowerCase() || tagsOf(address, [sender]).length > 0;
}

const NAMED = /^(?<name>[^<>,;:\\]*)<(?<address>[^<>]*)>$/;

// An address that is named behind another one is read as either.
function addressIn(from: string): string {
  const plain = from.trim();
  const { name = '', address = plain } = NAMED.exec(plain)?.groups ?? {};
  return name.includes('@') && name.trim() !== address.trim() ? '' : address.trim();
}

/** Headers by which programs mark what they send (RFC 3834, RFC 2369, RFC 2919), and delivery reports. */
const MARKS: Readonly<Record<string, RegExp>> = {
  'auto-submitted': /^(?!\s*no\b)/i,
  precedence: /^\s*(?:bulk|junk|list|auto_reply)\b/i,
  'return-path': /^\s*<\s*>/,
  'content-type': /^\s*multipart\/report\b/i,
  'x-auto-response-suppress': /\b(?:all|autoreply)\b/i,
  'x-autoreply': /^/,
  'x-autorespond': /^/,
};

function isOfProgram({ key, value }: MailHeader): boolean {
  return key.startsWith('list-') || MARKS[key]?.test(value) === true;
}

function valuesOf(headers: readonly MailHeader[], name: string): readonly string[] {
  return headers.filter(({ key }) => key === name).map(({ value }) => value);
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1);

/**
 * Returns whether a mail service states that a mail is of the domain that its sender names (DMARC). The topmost
 * statement in the name of the service decides: those below may have come with the mail.
 */
function isAuthenticated(headers: readonly MailHeader[], authService: string, domain: string): boolean {
  const statements = valuesOf(headers, 'authentication-results').map((value) => resultsOf(value));
  const [, ...results] = statements.find(([id]) => id?.split(/\s/)[0] === authService.toLowerCase()) ?? [];
  const [dmarc, ...more] = results.filter((result) => /^dmarc\s*=/.test(result));
  if (dmarc === undefined || more.length > 0 || !/^dmarc\s*=\s*pass(?!\S)/.test(dmarc)) return false;
  return /\sheader\.from\s*=\s*(\S+)/.exec(dmarc)?.[1] === domain;
}

/**
 * Returns the parts of an `Authentication-Results` header, in lower case: the id of the service and its results
 * (RFC 8601). Nothing in a quoted value ends a part. None for an unfinished one.
 */
function resultsOf(value: string): readonly string[] {
  const plain = withoutComments(value, (quoted) => (/^[\w.@-]$/.test(quoted) ? quoted : '_'));
  return (plain ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
}

/**
 * Returns the value of a structured header without its comments, and with what `shown` returns for each character that
 * is quoted; undefined for an unfinished one.
 */
function withoutComments(value: string, shown: (quoted: string) => string): string | undefined {
  let [plain, depth, isQuoted] = ['', 0, false];
  for (const [token] of value.matchAll(/\\.|[^\\]/gsu)) {
    if (depth === 0 && token === '"') isQuoted = !isQuoted;
    else if (isQuoted) plain += shown(token);
    else if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (depth === 0) plain += token;
    if (depth < 0) return undefined;
  }
  return isQuoted || depth > 0 ? undefined : plain;
}

const REFERENCE = /^<[^<>\s\p{Cc}]{1,500}>$/u;
const MAX_SUBJECT = 300;

/** Returns the `Message-ID` of a mail; null for one that no header could refer to. */
export function referenceTo(messageId: string | undefined): string | null {
  return messageId !== undefined && REFERENCE.test(messageId) ? messageId : null;
}

/** Returns a subject as one line. */
export function subjectOf(subject: string | undefined): string {
  return plainLine(toStorableText(subject ?? ''), MAX_SUBJECT);
}

/** Returns the subject of an answer. */
export function replySubject(subject: string): string {
  return /^re:/i.test(subject) ? subject : `Re: ${subject}`.trim();
}

const QUOTED = /^\s*(?:>.*)?$/;

/** Returns what somebody has written above the mail that theirs quotes at its end; all of it when that is nothing. */
export function withoutQuote(text: string): string {
  const lines = text.trimEnd().split(/\r?\n/);
  const last = lines.findLastIndex((line) => !QUOTED.test(line));
  if (last === lines.length - 1) return text.trim();
  const written = lines
    .slice(0, last + 1 - introductionOf(lines.slice(0, last + 1)))
    .join('\n')
    .trim();
  return written === '' ? text.trim() : written;
}

// Mail programs name whom they quote in a line that ends in a colon; a long one is broken before its last word.
function introductionOf(lines: readonly string[]): number {
  const line = lines.at(-1)?.trim() ?? '';
  if (!line.endsWith(':')) return 0;
  return line.includes(' ') ? 1 : 2;
}

/** Returns the address of a mailbox with a tag behind its name. */
export function taggedAddress(address: string, tag: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}+${tag}${address.slice(at)}`;
}

/** Returns the tags with which recipients name a mailbox. */
export function tagsOf(address: string, recipients: readonly string[]): readonly string[] {
  const at = address.lastIndexOf('@');
  const [start, end] = [`${address.slice(0, at)}+`.toLowerCase(), address.slice(at).toLowerCase()];
  return recipients
    .map((recipient) => recipient.toLowerCase())
    .filter((recipient) => recipient.startsWith(start) && recipient.endsWith(end))
    .map((recipient) => recipient.slice(start.length, -end.length));
}
