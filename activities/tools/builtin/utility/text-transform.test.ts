import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { textTransform } from './text-transform.ts';

let tools: TestTools;
beforeEach(async () => {
  tools = await createTestTools();
});
afterEach(() => tools.close());

const run = async (args: object) => prepareCall(textTransform, { ...args }).run(tools.context);
const valueOf = async (args: object) => (await run(args)).value;

describe('text_transform', () => {
  test('finds all matches, with groups by their names and numbers', async () => {
    expect(await valueOf({ action: 'match', text: 'a1 B22', pattern: '(?i)[a-z]\\d+' })).toEqual({
      matches: ['a1', 'B22'],
      isCut: false,
    });
    const found = await valueOf({ action: 'match', text: '2026-11 2027', pattern: '(?P<year>\\d{4})(-\\d\\d)?' });
    expect(found).toMatchObject({
      matches: [
        { match: '2026-11', groups: { year: '2026', 2: '-11' } },
        { match: '2027', groups: { year: '2027', 2: null } },
      ],
    });
    const many = await valueOf({ action: 'match', text: 'a'.repeat(20_000), pattern: 'a' });
    expect(many).toMatchObject({ isCut: true, matches: { length: 10_000 } });
  });

  test.each([
    [{ action: 'replace', text: 'Doe, Jo', pattern: '(?P<last>\\w+), (\\w+)', replacement: '$2 $<last>' }, 'Jo Doe'],
    [{ action: 'split', text: 'a, b;c', pattern: '[,;]\\s*' }, ['a', 'b', 'c']],
    [{ action: 'diff', text: 'a\nb\n', other: 'a\nc\n' }, '--- text\n+++ other\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n'],
    [{ action: 'diff', text: 'a', other: 'a' }, 'The texts are equal.'],
  ])('does %j', async (args, value) => {
    expect(await valueOf(args)).toEqual(value);
  });

  test.each([
    ['upper', 'straße é', 'STRASSE É'],
    ['lower', 'ÀB', 'àb'],
    ['title', "it's a NEW day, élan", "It's A New Day, Élan"],
    ['sentence', 'HELLO THERE. "YES"! no', 'Hello there. "Yes"! No'],
    ['camel', 'user id\nHTTP server', 'userId\nhttpServer'],
    ['pascal', 'user_id', 'UserId'],
    ['snake', 'userID', 'user_id'],
    ['kebab', 'User Id', 'user-id'],
    ['constant', 'userId', 'USER_ID'],
    ['slug', ' Größe & Ærø: Привет! ', 'groesse-and-aero-privet'],
  ])('writes in %s', async (algorithm, text, value) => {
    expect(await valueOf({ action: 'case', algorithm, text })).toBe(value);
  });

  test.each([
    ['base64', 'é?>~', 'w6k/Pn4='],
    ['base64url', 'é?>~', 'w6k_Pn4'],
    ['hex', 'é', 'c3a9'],
    ['url', 'a b&é', 'a%20b%26%C3%A9'],
    ['html', '<a href="é">&', '&lt;a href=&quot;é&quot;&gt;&amp;'],
  ])('encodes and decodes %s', async (algorithm, text, encoded) => {
    expect(await valueOf({ action: 'encode', algorithm, text })).toBe(encoded);
    expect(await valueOf({ action: 'decode', algorithm, text: encoded })).toBe(text);
  });

  test('hashes and encodes the bytes of a file, and says when what is in it is from outside', async () => {
    const bytes = Buffer.from([0, 255, 10]);
    const options = { overwrite: true, createFolders: true, isForeign: true };
    await tools.context.workspace.write(filePath('a.bin'), bytes, options);
    const expected = createHash('sha256').update(bytes).digest('hex');
    expect(await run({ action: 'hash', file: 'a.bin' })).toEqual({ value: expected, isForeign: true });
    expect(await valueOf({ action: 'encode', file: 'a.bin' })).toBe('AP8K');
    expect(await valueOf({ action: 'hash', algorithm: 'md5', text: '' })).toBe('d41d8cd98f00b204e9800998ecf8427e');
  });

  test('counts characters, words, lines and tokens', async () => {
    expect(await valueOf({ action: 'count', text: 'Hello, wörld! 👍\nIt works.\n' })).toEqual({
      bytes: 30,
      characters: 26,
      words: 4,
      lines: 2,
      tokens: 11,
    });
    expect(await valueOf({ action: 'count', text: '<|endoftext|>' })).toMatchObject({ tokens: 7 });
    expect(await valueOf({ action: 'count', text: '' })).toMatchObject({ words: 0, lines: 0, tokens: 0 });
  });

  test.each([
    ['a run of one letter', 'a'.repeat(200_000), 25_000],
    ['signs without blanks', '漢👍'.repeat(50_000), 100_000],
    ['blanks', ' '.repeat(200_000), 1_800],
    ['sentences', 'hello world this is text. '.repeat(8_000), 48_001],
  ])('counts the tokens of %s in time', async (_, text, tokens) => {
    const counts = (await valueOf({ action: 'count', text })) as { tokens: number };
    expect(Math.abs(counts.tokens - tokens)).toBeLessThanOrEqual(tokens / 100);
  });

  test('ends in time, whatever the expression is', async () => {
    const text = `${'a'.repeat(50_000)}!`;
    expect(await valueOf({ action: 'match', text, pattern: '(a+)+$' })).toEqual({ matches: [], isCut: false });
  });

  test.each([
    [{ action: 'match', text: 'a', pattern: '(?=a)' }, 'there is no look-around'],
    [{ action: 'match', text: 'a' }, 'match needs pattern'],
    [{ action: 'replace', text: 'a', pattern: 'a' }, 'replace needs replacement'],
    [{ action: 'diff', text: 'a' }, 'diff needs other'],
    [{ action: 'case', text: 'a' }, 'case needs algorithm'],
    [{ action: 'hash', text: 'a', algorithm: 'rot13' }, 'algorithm of hash is one of sha256, '],
    [{ action: 'hash' }, 'Give either text or file'],
    [{ action: 'decode', text: 'not base64!' }, 'The text is not base64'],
    [{ action: 'decode', text: 'abc', algorithm: 'hex' }, 'The text is not hex'],
    [{ action: 'decode', text: '/w==' }, 'What comes out is no text but 1 other bytes'],
    [{ action: 'decode', text: '100%', algorithm: 'url' }, 'not encoded for URLs'],
    [{ action: 'replace', text: 'a'.repeat(250_000), pattern: 'a', replacement: '$`' }, 'The result is too large'],
  ])('says what is wrong, %#', async (args, issue) => {
    await expect(run(args)).rejects.toThrow(issue);
  });
});
