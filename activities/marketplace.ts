import { createHash } from 'node:crypto';
import { cancellationSignal } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { Database } from '../db/core/database.ts';
import {
  beginIndexFetch,
  findIndexWait,
  type KnownItem,
  noteFetchedIndex,
  noteIndexFailure,
} from '../db/marketplace/marketplace-indexes.ts';
import { storeIndexItem } from '../db/marketplace/index-items.ts';
import {
  checkScriptFile,
  DefinitionFault,
  type IndexEntry,
  IndexFault,
  MAX_ARCHIVE_BYTES,
  readArchive,
  type ReadIndex,
  readIndexFile,
  readItem,
  SCRIPT_FILE,
} from '../definition-files/index.ts';
import type { WorkOf } from '../domain/core/due-work.ts';
import { settleAll } from '../domain/core/promises.ts';
import { cut, toStorableText } from '../domain/core/text.ts';
import type { MarketplaceIndex, MarketplaceItem, RefusedItem } from '../domain/marketplace.ts';
import { hostOf, portOf } from '../domain/network/host-names.ts';
import type { PrivateHosts } from '../domain/network/addresses.ts';
import { BlockedAddressError } from './core/network/guarded-connect.ts';
import type { GuardedFetch } from './core/network/guarded-fetch.ts';
import { createGuardedHttp, HttpFailure } from './core/network/guarded-http.ts';

/** The dependencies of what fetches the indexes of the marketplace. */
export interface MarketplaceDeps {
  readonly database: Pick<Database, 'system'>;
  readonly fetch: GuardedFetch;
  readonly privateHosts: PrivateHosts;
  /** Those that the operator has added. */
  readonly indexes: readonly MarketplaceIndex[];
  readonly log: Logger;
}

const MAX_INDEX_BYTES = 4 * 1024 ** 2;
/** Items that are fetched at once. */
const AT_ONCE = 4;
/** The files of all items of an index, in bytes. */
const MAX_TOTAL_BYTES = 64 * 1024 ** 2;
const MAX_REASON_CHARACTERS = 300;

/**
 * How long an index and an item may take, and after which time no further item is begun: less than the activity has.
 */
const TIMES = { indexMs: 30_000, itemMs: 60_000, allMs: 8 * 60_000 };
const HOUR_MS = 60 * 60_000;
const SOON_MS = 60_000;

/** An index that is to be fetched. */
interface IndexRef {
  readonly indexId: string;
  readonly signal: AbortSignal;
}

/**
 * Fetches an index of the operator and the items of it that are new. An item that cannot be taken is named, and the
 * others are taken; while the index itself cannot be fetched, what it had stays. Returns false when the settings of
 * this process do not name it.
 */
export async function refreshIndex(
  deps: MarketplaceDeps,
  { indexId, signal }: IndexRef,
  times = TIMES,
): Promise<boolean> {
  const { database, indexes, log } = deps;
  const known = await beginIndexFetch(database, indexId);
  const index = indexes.find(({ source }) => source === known?.source);
  // Only indexes in the settings of this process are fetched, whatever is requested.
  if (known === undefined || index === undefined) return false;
  const work = { indexId, index, fetch: fetchOf(deps, index), signal, known: known.items, times };
  const read = await readIndex(work).catch((error: unknown) => wordsOf(error));
  if (typeof read === 'string') {
    log.warn({ source: index.source, reason: read }, 'an index of the marketplace could not be fetched');
    await noteIndexFailure(database, indexId, toStorableText(read));
  } else await takeItems(deps, work, read);
  return true;
}

interface IndexWork extends IndexRef {
  readonly index: MarketplaceIndex;
  readonly fetch: FetchOfIndex;
  readonly known: ReadonlyMap<string, KnownItem>;
  readonly times: typeof TIMES;
}

async function readIndex({ index, fetch, signal, times }: IndexWork): Promise<ReadIndex> {
  const bytes = await fetch({
    url: index.url,
    accept: 'application/json',
    maxBytes: MAX_INDEX_BYTES,
    timeoutMs: times.indexMs,
    signal,
  });
  return readIndexFile(bytes.toString('utf8'));
}

function wordsOf(error: unknown): string {
  if (error instanceof IndexFault || error instanceof FetchFault || error instanceof HttpFailure) return error.message;
  throw error;
}

// Each item is stored as soon as it is fetched, so an interrupted run continues there the next time.
async function takeItems({ database, log }: MarketplaceDeps, work: IndexWork, read: ReadIndex): Promise<void> {
  const { indexId, index, known, times } = work;
  const refused = [...read.refused, ...relabelled(read, known)];
  const refuse = (item: string, reason: string) =>
    refused.push({ item, reason: toStorableText(cut(reason, MAX_REASON_CHARACTERS)) });
  const wanted = read.entries.filter(({ slug, sha256 }) => known.get(slug)?.sha256 !== sha256);
  const end = performance.now() + times.allMs;
  let total = sizeOf(read, known);
  let late = 0;
  const queue = wanted.values();
  const takeNext = async () => {
    // One queue for all who take from it.
    for (const entry of queue) {
      const { slug, sha256 } = entry;
      if (performance.now() > end) {
        late += 1;
        continue;
      }
      const fetched = await fetchItem(entry, work);
      if ('reason' in fetched) refuse(slug, fetched.reason);
      else if (total + fetched.bytes - (known.get(slug)?.bytes ?? 0) > MAX_TOTAL_BYTES)
        refuse(slug, `The items of an index may hold ${MAX_TOTAL_BYTES / 1024 ** 2} MB in all; this one is too much`);
      else {
        total += fetched.bytes - (known.get(slug)?.bytes ?? 0);
        await storeIndexItem(database, indexId, { ...fetched, sha256 });
      }
    }
  };
  await settleAll(Array.from({ length: AT_ONCE }, takeNext));
  if (late > 0) refuse(`${late} more`, 'are not fetched yet: the server took too long, and is asked again soon');
  if (refused.length > 0)
    log.warn({ source: index.source, refused: refused.slice(0, 10) }, 'items of an index were refused');
  const slugs = [...read.entries.map(({ slug }) => slug), ...refused.map(({ item }) => item)];
  await noteFetchedIndex(database, indexId, { slugs, refused, nextCheckMs: late > 0 ? SOON_MS : HOUR_MS });
}

/**
 * Names the entries that give another version to the archive that is known: a newer one was to be offered, and is not.
 */
function relabelled({ entries }: ReadIndex, known: ReadonlyMap<string, KnownItem>): RefusedItem[] {
  return entries.flatMap(({ slug, sha256, version }) => {
    const item = known.get(slug);
    if (item?.sha256 !== sha256 || item.version === version) return [];
    const reason = `The index says version ${version}, and the SHA-256 of the archive of version ${item.version}`;
    return [{ item: slug, reason }];
  });
}

/** Returns the bytes of those items that stay. */
function sizeOf({ entries }: ReadIndex, known: ReadonlyMap<string, KnownItem>): number {
  return entries.reduce((sum, { slug }) => sum + (known.get(slug)?.bytes ?? 0), 0);
}

/**
 * Makes the activity that fetches an index of the operator, if that is due, and returns in how many milliseconds it is
 * due next, or null when the operator names it no longer. The result is stored, and not in the history.
 */
export function createFetchMarketplaceIndex(deps: MarketplaceDeps) {
  return async function fetchMarketplaceIndex({ indexId }: WorkOf<'marketplace-index'>): Promise<number | null> {
    const signal = cancellationSignal();
    const waitMs = await findIndexWait(deps.database, indexId);
    if (waitMs !== 0) return waitMs;
    const isNamed = await refreshIndex(deps, { indexId, signal });
    return isNamed ? findIndexWait(deps.database, indexId) : null;
  };
}

/** An item of an index, and the bytes of its files. */
interface FetchedItem {
  readonly item: MarketplaceItem;
  readonly bytes: number;
}

interface ItemSource {
  readonly index: MarketplaceIndex;
  readonly fetch: FetchOfIndex;
  readonly signal: AbortSignal;
  readonly times: { readonly itemMs: number };
}

/** Fetches an item; returns why it cannot be taken when something is wrong with it. */
async function fetchItem(entry: IndexEntry, source: ItemSource): Promise<FetchedItem | { readonly reason: string }> {
  try {
    return await readFetched(entry, source);
  } catch (error) {
    if (error instanceof DefinitionFault || error instanceof FetchFault || error instanceof HttpFailure)
      return { reason: error.message };
    throw error;
  }
}

async function readFetched(entry: IndexEntry, { index, fetch, signal, times }: ItemSource): Promise<FetchedItem> {
  const url = URL.parse(entry.url, index.url);
  if (url === null) throw new FetchFault('Its url is not a valid URL');
  const archive = await fetch({
    url: url.href,
    accept: 'application/zip, application/octet-stream;q=0.9, */*;q=0.1',
    maxBytes: MAX_ARCHIVE_BYTES,
    timeoutMs: times.itemMs,
    signal,
  });
  if (entry.size !== undefined && entry.size !== archive.length)
    throw new FetchFault(`Its archive has ${archive.length} bytes, and ${entry.size} in the index`);
  const digest = createHash('sha256').update(archive).digest('hex');
  if (digest !== entry.sha256) throw new FetchFault(`Its archive has another SHA-256 than the index says: ${digest}`);
  const { files } = await readArchive(archive);
  const item = readItem(entry.slug, files, index.source);
  if (item.version !== entry.version)
    throw new FetchFault(`Its item.json says version ${item.version}, and the index ${entry.version}`);
  for (const { kind, content } of item.definitions) {
    const script = kind === 'tool' ? content.files.get(SCRIPT_FILE) : undefined;
    if (script !== undefined) await checkScriptFile(script, index.source);
  }
  let bytes = 0;
  for (const text of files.values()) bytes += Buffer.byteLength(text);
  return { item, bytes };
}

/** The answer of an index's server is unusable. The message is shown to users. */
class FetchFault extends Error {
  override readonly name = 'FetchFault';
}

/** A file to fetch, and its maximum size. */
interface Fetched {
  readonly url: string;
  readonly accept: string;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Fetches what an index names; throws a `FetchFault`, an `HttpFailure`, or the signal's reason. */
type FetchOfIndex = (fetched: Fetched) => Promise<Buffer>;

interface WayOut {
  readonly fetch: GuardedFetch;
  readonly privateHosts: PrivateHosts;
}

/**
 * Returns how an index and its items are fetched: with the credentials of the index on its own server only, and without
 * encryption from private hosts only, redirects included. Who changes an index on its way changes the hashes with it.
 */
function fetchOf({ fetch, privateHosts }: WayOut, { url: indexUrl, credentials }: MarketplaceIndex): FetchOfIndex {
  const http = createGuardedHttp(async (address, init) => {
    const url = new URL(address);
    if (url.protocol === 'http:' && !privateHosts.allows(hostOf(url), portOf(url)))
      throw new BlockedAddressError(
        `The address must begin with https://; within the own network the operator of the server can allow http:// to ${hostOf(url)}:${portOf(url)}`,
      );
    return fetch(address, init);
  });
  const authorization =
    credentials && `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`;
  const home = new URL(indexUrl).origin;
  return async ({ url, accept, maxBytes, timeoutMs, signal }) => {
    const isHome = URL.parse(url)?.origin === home;
    const response = await http.request({
      url,
      method: 'GET',
      headers: { accept, ...(isHome && authorization !== undefined && { authorization }) },
      followRedirects: true,
      timeoutMs,
      maxBytes,
      signal,
    });
    if (response.status !== 200) throw new FetchFault(`The server answered with the status ${response.status}`);
    if (response.isTruncated) throw new FetchFault(`It is larger than ${maxBytes} bytes`);
    return response.body;
  };
}
