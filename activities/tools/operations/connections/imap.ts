import type { FetchMessageObject, ImapFlow, MessageAddressObject, SearchObject } from 'imapflow';
import { ToolFailure } from '../../tool-failure.ts';
import {
  type Account,
  connectionFailure,
  type Endpoint,
  endpointOf,
  type Reach,
  RejectedCredentials,
  saidBy,
} from './connections.ts';

const CONNECT_LIMIT_MS = 15_000;
const SILENCE_LIMIT_MS = 60_000;

/** Signs in to the mailbox of an integration, does work there, and leaves. */
export async function inMailbox<T>(
  account: Account,
  work: (mailbox: Mailbox) => Promise<T>,
  { sockets, signal }: Reach,
): Promise<T> {
  const endpoint = endpointOf(account);
  let client: ImapFlow | undefined;
  const end = () => client?.close();
  try {
    signal.throwIfAborted();
    client = await clientOf(endpoint, sockets);
    signal.addEventListener('abort', end, { once: true });
    const allowMore = boundAnswers(client);
    await client.connect();
    allowMore();
    return await work(mailboxOf(client));
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, account, endpoint);
  } finally {
    signal.removeEventListener('abort', end);
    client?.close();
  }
}

/** Signs in to an IMAP server. */
export async function signInToImap(account: Account, reach: Reach): Promise<void> {
  await inMailbox(account, async () => undefined, reach);
}

async function clientOf({ host, port, user, password, tls, isEncryptedAtOnce }: Endpoint, sockets: Reach['sockets']) {
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow({
    host,
    port,
    secure: isEncryptedAtOnce,
    // Either encrypted or refused, and left out only where the integration says so.
    doSTARTTLS: isEncryptedAtOnce ? undefined : tls !== undefined,
    auth: { user, pass: password },
    tls: {
      // It connects by itself; the look-up decides where to.
      lookup: sockets.lookupFor(host, port),
      ...(tls?.ca !== undefined && { ca: tls.ca }),
    } as object,
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: CONNECT_LIMIT_MS,
    greetingTimeout: CONNECT_LIMIT_MS,
    socketTimeout: SILENCE_LIMIT_MS,
  } as ConstructorParameters<typeof ImapFlow>[0]);
  // Each request fails by itself.
  client.on('error', () => undefined);
  return client;
}

function mailboxOf(client: ImapFlow): Mailbox {
  return {
    folders: async () => (await client.list()).map(({ path }) => path),
    find: async (folder, query, { limit, beforeUid }) =>
      inFolder(client, folder, { readOnly: true }, async () => {
        const found = (await client.search(searchOf(query), { uid: true })) || unsearched();
        const uids = found.filter((uid) => beforeUid === undefined || uid < beforeUid).toSorted((a, b) => b - a);
        const shown = uids.slice(0, limit);
        if (shown.length === 0) return { mails: [], total: uids.length };
        const fields = { uid: true, envelope: true, flags: true, size: true, internalDate: true };
        const mails = await client.fetchAll(shown, fields, { uid: true });
        return { mails: mails.map(listed).toSorted((a, b) => b.uid - a.uid), total: uids.length };
      }),
    read: async (folder, uid, maxBytes) =>
      inFolder(client, folder, { readOnly: true }, async () => {
        const { size = 0 } =
          (await client.fetchOne(String(uid), { size: true }, { uid: true })) || missing(uid, folder);
        if (size > maxBytes)
          throw new ToolFailure('invalid_input', `The mail has ${size} bytes, more than the ${maxBytes} that are read`);
        const { source } =
          (await client.fetchOne(String(uid), { source: true }, { uid: true })) || missing(uid, folder);
        return source ?? missing(uid, folder);
      }),
    mark: async (folder, uid, marks) =>
      inFolder(client, folder, { readOnly: false }, async () => {
        const flags = [
          ['\\Seen', marks.seen],
          ['\\Flagged', marks.flagged],
        ] as const;
        for (const [flag, isSet] of flags) {
          if (isSet === true) await client.messageFlagsAdd(String(uid), [flag], { uid: true });
          if (isSet === false) await client.messageFlagsRemove(String(uid), [flag], { uid: true });
        }
        return isThere(client, uid);
      }),
    move: async (folder, uid, to) =>
      inFolder(client, folder, { readOnly: false }, async () => {
        if (!(await isThere(client, uid))) return false;
        if ((await client.messageMove(String(uid), to, { uid: true })) === false)
          throw new ToolFailure('not_found', `There is no folder ${to} that mails can be moved to`);
        return true;
      }),
  };
}

async function isThere(client: ImapFlow, uid: number): Promise<boolean> {
  return (await client.fetchOne(String(uid), { uid: true }, { uid: true })) !== false;
}

// The library keeps the reason to itself.
function unsearched(): never {
  throw new ToolFailure('upstream', 'The mailbox refuses the search, or its answer is too large: ask for less');
}

function missing(uid: number, folder: string): never {
  throw new ToolFailure('not_found', `There is no mail ${uid} in ${folder}`);
}

async function inFolder<T>(
  client: ImapFlow,
  folder: string,
  { readOnly }: { readonly readOnly: boolean },
  work: () => Promise<T>,
): Promise<T> {
  const lock = await client.getMailboxLock(folder, { readOnly });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

function searchOf({ text, seen, flagged, since, before, ...headers }: MailQuery): SearchObject {
  const wanted = Object.entries({ ...headers, body: undefined, text, since, before, seen, flagged });
  const given = Object.fromEntries(wanted.filter(([, value]) => value !== undefined)) as SearchObject;
  return Object.keys(given).length === 0 ? { all: true } : given;
}

function listed({ uid, envelope, flags, size = 0, internalDate }: FetchMessageObject): ListedMail {
  const date = envelope?.date ?? internalDate;
  return {
    uid,
    date: date instanceof Date && !Number.isNaN(date.getTime()) ? date.toISOString() : null,
    from: named(envelope?.from),
    to: named(envelope?.to),
    subject: envelope?.subject ?? '',
    seen: flags?.has('\\Seen') === true,
    flagged: flags?.has('\\Flagged') === true,
    bytes: size,
  };
}

function named(addresses: readonly MessageAddressObject[] = []): string {
  return addresses
    .slice(0, 10)
    .map(({ name, address = '' }) => (name === undefined || name === '' ? address : `${name} <${address}>`))
    .join(', ');
}

function failureOf(error: unknown, account: Account, { service }: Endpoint): ToolFailure {
  const { authenticationFailed, responseText, responseStatus, code } = error as Readonly<Record<string, unknown>>;
  if (authenticationFailed === true) return new RejectedCredentials(service, { cause: error });
  if (code === 'LiteralTooLarge' || code === 'ResponseTooLarge' || code === 'LineTooLarge')
    return new ToolFailure('upstream', 'The answer of the mailbox is too large: ask for less', { cause: error });
  if (typeof responseStatus !== 'string') return connectionFailure(error, account, { service });
  const said = saidBy(account, typeof responseText === 'string' ? responseText : error);
  return new ToolFailure('invalid_input', `${service} refuses: ${said}`, { cause: error, isForeign: true });
}

/** Which mails of a folder are searched for; all given conditions have to fit. */
interface MailQuery {
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
interface ListedMail {
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

/** The limits before the sign-in: greetings, capabilities and refusals. */
const EARLY = { line: 256 * 1024, literal: 256 * 1024, response: 1024 * 1024 } as const;
const MAX_EARLY = 1024 * 1024;
/** The limits of an answer after the sign-in: a mail as a literal, or a line of numbers of mails. */
const LATER = { line: 1024 * 1024, literal: 30_000_000, response: 30_000_000 } as const;
/** The most parts of a line: the library makes an object of each while all else waits. */
const MAX_PARTS = 100_000;
const [BLANK, BRACKET] = [' ', '('].map((mark) => mark.charCodeAt(0));

/** An answer of the server before it is taken apart. */
interface RawResponse {
  readonly payload: Buffer;
  readonly literals?: readonly Buffer[];
}

/** The used parts of the library that its types lack. */
interface Reader {
  readonly streamer: {
    maxLineLength: number;
    maxLiteralSize: number;
    maxResponseSize: number;
    destroy(error: Error): void;
  };
  handleResponse(response: RawResponse): Promise<boolean>;
}

/** Bounds what a server may answer, and what is taken apart of it. Returns how more is allowed once signed in. */
function boundAnswers(client: ImapFlow): () => void {
  const reader = client as unknown as Reader;
  const { streamer } = reader;
  const handle = reader.handleResponse.bind(client);
  let early: number | undefined = 0;
  allow(streamer, EARLY);
  reader.handleResponse = async (response) => {
    if (early !== undefined) early += bytesOf(response);
    if ((early ?? 0) <= MAX_EARLY && !hasManyParts(response.payload)) return handle(response);
    streamer.destroy(Object.assign(new Error('The answer is too large'), { code: 'ResponseTooLarge' }));
    return false;
  };
  return () => {
    early = undefined;
    allow(streamer, LATER);
  };
}

function allow(streamer: Reader['streamer'], { line, literal, response }: Record<keyof typeof EARLY, number>): void {
  streamer.maxLineLength = line;
  streamer.maxLiteralSize = literal;
  streamer.maxResponseSize = response;
}

function bytesOf({ payload, literals = [] }: RawResponse): number {
  return literals.reduce((sum, { length }) => sum + length, payload.length);
}

function hasManyParts(line: Buffer): boolean {
  let parts = 0;
  for (const byte of line) if (byte === BLANK || byte === BRACKET) parts += 1;
  return parts > MAX_PARTS;
}
