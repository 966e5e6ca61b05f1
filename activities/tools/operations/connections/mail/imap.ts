import type { FetchMessageObject, ImapFlow, MessageAddressObject, SearchObject } from 'imapflow';
import { ToolFailure } from '../../../tool-failure.ts';
import { connectionFailure, RejectedCredentials, saidBy } from '../connection-failure.ts';
import type { Account, Reach } from '../connections.ts';
import { type Endpoint, endpointOf } from '../endpoint.ts';
import { boundAnswers } from './imap-bounds.ts';
import type { ListedMail, Mailbox, MailQuery } from './mailbox.ts';

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
