import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { readArchive, writeArchive } from '../archive.ts';
import { readItem, readItems } from './item-files.ts';

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
