import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { parseForeignJson } from '../../domain/core/foreign-json.ts';
import { cut, text, toStorableText } from '../../domain/core/text.ts';
import { type RefusedItem, SLUG, VERSION } from '../../domain/marketplace.ts';
import { MAX_ARCHIVE_BYTES, readArchive, writeArchive } from '../archive.ts';
import { DefinitionFault, parseFields } from '../definition-fault.ts';
import { readItem, readItems } from './item-files.ts';

/** The items of an index that are taken; those after them are left out. */
export const MAX_INDEX_ITEMS = 1_000;
const MAX_DEPTH = 10;
const MAX_SHOWN = 100;

const indexSchema = z.object({
  version: z.literal(1, 'must be 1: this is the only version of the format'),
  items: z.array(z.unknown()),
});

const entrySchema = z.object({
  slug: z.string().regex(SLUG, 'must be lower-case letters, digits and hyphens'),
  version: z.string().regex(VERSION, 'must be a version like 1.4.0'),
  url: text(2_000).min(1),
  sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits'),
  size: z.int().min(1).max(MAX_ARCHIVE_BYTES).optional(),
});

/** An item as an index lists it. Its archive describes its content. */
export type IndexEntry = z.output<typeof entrySchema>;

/** The items of an index, and those that cannot be taken. */
export interface ReadIndex {
  readonly entries: readonly IndexEntry[];
  readonly refused: readonly RefusedItem[];
}

/** The text is no index of items. The message is shown to users. */
export class IndexFault extends Error {
  override readonly name = 'IndexFault';
}

/** Reads an index of items; throws an `IndexFault` when it is none. Unknown fields may come later, and are ignored. */
export function readIndexFile(json: string): ReadIndex {
  const parsed = parseForeignJson(json, { maxDepth: MAX_DEPTH });
  // The words of the parser quote what it has read.
  if ('issue' in parsed) throw new IndexFault(`It is not JSON: ${cut(toStorableText(parsed.issue), 200)}`);
  const { items } = readHead(parsed.value);
  const entries = new Map<string, IndexEntry>();
  const refused: RefusedItem[] = [];
  for (const [at, item] of items.slice(0, MAX_INDEX_ITEMS).entries()) {
    const entry = readEntry(item);
    if ('reason' in entry) refused.push({ item: nameOf(item, at), reason: entry.reason });
    else if (entries.has(entry.slug))
      refused.push({ item: entry.slug, reason: 'is listed twice; the first one counts' });
    else entries.set(entry.slug, { ...entry, sha256: entry.sha256.toLowerCase() });
  }
  const left = items.length - MAX_INDEX_ITEMS;
  if (left > 0)
    refused.push({ item: `${left} more`, reason: `are left out: an index lists at most ${MAX_INDEX_ITEMS} items` });
  return { entries: [...entries.values()], refused };
}

function readHead(value: unknown): z.output<typeof indexSchema> {
  const result = indexSchema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new IndexFault(`It is no index of items: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}

function readEntry(item: unknown): IndexEntry | { readonly reason: string } {
  try {
    return parseFields('', entrySchema, item);
  } catch (error) {
    if (!(error instanceof DefinitionFault)) throw error;
    return { reason: error.message };
  }
}

function nameOf(item: unknown, at: number): string {
  const slug: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, 'slug') : undefined;
  return typeof slug === 'string' && slug !== '' ? cut(toStorableText(slug), MAX_SHOWN) : `number ${at + 1}`;
}

/**
 * Writes the archives of a folder of items, and an index that lists them; throws what is wrong with an item. The same
 * items give the same bytes. Returns the slugs.
 */
export async function writeIndex(folder: string, target: string): Promise<string[]> {
  mkdirSync(target, { recursive: true });
  const entries = [];
  for (const { slug, version, kind, name, summary, tags, files } of readItems(folder)) {
    const archive = await buffer(writeArchive(slug, files));
    // As those who fetch it will: an archive has bounds of its own.
    readItem(slug, (await readArchive(archive)).files);
    const url = `${slug}-${version}.zip`;
    writeFileSync(join(target, url), archive);
    const sha256 = createHash('sha256').update(archive).digest('hex');
    entries.push({ slug, version, url, sha256, size: archive.length, kind, name, summary, tags });
  }
  writeFileSync(join(target, 'index.json'), `${JSON.stringify({ version: 1, items: entries }, undefined, 2)}\n`);
  return entries.map(({ slug }) => slug);
}
