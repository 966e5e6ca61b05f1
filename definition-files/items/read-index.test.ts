import { describe, expect, test } from '@jest/globals';
import { MAX_INDEX_ITEMS, readIndexFile } from './read-index.ts';

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
