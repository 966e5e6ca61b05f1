import { createHash } from 'node:crypto';
import {
  checkScriptFile,
  DefinitionFault,
  type IndexEntry,
  MAX_ARCHIVE_BYTES,
  readArchive,
  readItem,
  SCRIPT_FILE,
} from '../../definition-files/index.ts';
import type { MarketplaceIndex, MarketplaceItem } from '../../domain/marketplace/index.ts';
import { HttpFailure } from '../core/network/guarded-http.ts';
import { FetchFault, type FetchOfIndex } from './index-http.ts';

/** An item of an index, and the bytes of its files. */
export interface FetchedItem {
  readonly item: MarketplaceItem;
  readonly bytes: number;
}

interface ItemPlace {
  readonly index: MarketplaceIndex;
  readonly fetch: FetchOfIndex;
  readonly signal: AbortSignal;
  readonly times: { readonly itemMs: number };
}

/** Fetches an item; returns why it cannot be taken when something is wrong with it. */
export async function fetchItem(
  entry: IndexEntry,
  place: ItemPlace,
): Promise<FetchedItem | { readonly reason: string }> {
  try {
    return await readFetched(entry, place);
  } catch (error) {
    if (error instanceof DefinitionFault || error instanceof FetchFault || error instanceof HttpFailure)
      return { reason: error.message };
    throw error;
  }
}

async function readFetched(entry: IndexEntry, { index, fetch, signal, times }: ItemPlace): Promise<FetchedItem> {
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
