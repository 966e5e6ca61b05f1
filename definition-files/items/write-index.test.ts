import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readShippedItems } from '../../builtin/index.ts';
import { readArchive } from '../archive.ts';
import { readIndexFile } from './read-index.ts';
import { readItem } from './item-files.ts';
import { writeIndex } from './write-index.ts';

const ITEMS = fileURLToPath(new URL('../../builtin/marketplace/', import.meta.url));

test('a folder of items becomes an index whose archives hold them', async () => {
  const target = mkdtempSync(join(tmpdir(), 'everturn-index-'));
  const slugs = await writeIndex(ITEMS, target);
  const { entries, refused } = readIndexFile(readFileSync(join(target, 'index.json'), 'utf8'));
  expect([refused, entries.map(({ slug }) => slug)]).toEqual([[], slugs]);
  expect(readdirSync(target)).toHaveLength(slugs.length + 1);
  const read = [];
  for (const { slug, url, sha256, size } of entries) {
    const archive = readFileSync(join(target, url));
    expect([slug, createHash('sha256').update(archive).digest('hex'), archive.length]).toEqual([slug, sha256, size]);
    read.push(readItem(slug, (await readArchive(archive)).files));
  }
  expect(read).toEqual(readShippedItems());
  rmSync(target, { recursive: true });
});
