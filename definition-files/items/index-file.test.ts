import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { readShippedItems } from '../../builtin/index.ts';
import { readArchive } from '../archive.ts';
import { MAX_INDEX_ITEMS, readIndexFile, writeIndex } from './index-file.ts';
import { readItem } from './item-files.ts';

const entry = (fields: object = {}) => ({
  slug: 'my-item',
  version: '1.0.0',
  url: 'my-item.zip',
  sha256: 'AB'.repeat(32),
  ...fields,
});
const read = (items: readonly unknown[]) => readIndexFile(JSON.stringify({ version: 1, items }));

describe('an index', () => {
  test('lists items, and may say more of them than is read', () => {
    const { entries, refused } = read([entry({ kind: 'skill', name: 'Mine', stars: 5 })]);
    expect(refused).toEqual([]);
    expect(entries).toEqual([{ slug: 'my-item', version: '1.0.0', url: 'my-item.zip', sha256: 'ab'.repeat(32) }]);
  });

  test('of which some items are broken lists the others, and names those', () => {
    const broken = [entry({ slug: '../x' }), 'text', null, entry({ sha256: 'short' }), entry({ version: 'new' })];
    const { entries, refused } = read([entry({ slug: 'a' }), ...broken, entry({ slug: 'a' }), entry({ slug: 'b' })]);
    expect(entries.map(({ slug }) => slug)).toEqual(['a', 'b']);
    expect(refused.map(({ item, reason }) => `${item} ${reason}`)).toEqual([
      expect.stringMatching(/^\.\.\/x .*lower-case letters/),
      expect.stringContaining('number 3 '),
      expect.stringContaining('number 4 '),
      expect.stringMatching(/^my-item .*64 hexadecimal digits/),
      expect.stringMatching(/^my-item .*a version like 1.4.0/),
      'a is listed twice; the first one counts',
    ]);
  });

  test('of too many items lists the first of them', () => {
    const { entries, refused } = read(
      Array.from({ length: MAX_INDEX_ITEMS + 2 }, (_, at) => entry({ slug: `s${at}` })),
    );
    expect(entries).toHaveLength(MAX_INDEX_ITEMS);
    expect(refused).toEqual([{ item: '2 more', reason: expect.stringContaining('left out') }]);
  });

  test.each([
    ['a page', '<!doctype html><html></html>', 'It is not JSON'],
    ['half of one', '{"version": 1, "items": [', 'It is not JSON'],
    ['another version', '{"version": 2, "items": []}', 'version must be 1'],
    ['a list', '[]', 'It is no index of items'],
    ['something deep', '['.repeat(300), 'nests more than'],
    ['too many values', `{"version":1,"items":[${'1,'.repeat(60_000)}1]}`, 'more than 50000 values'],
  ])('is not %s', (_what, text, words) => {
    expect(() => readIndexFile(text)).toThrow(words);
  });
});

const ITEMS = fileURLToPath(new URL('../../builtin/marketplace/', import.meta.url));

test('a folder of items becomes an index whose archives contain them', async () => {
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
