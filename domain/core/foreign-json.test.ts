import { describe, expect, test } from '@jest/globals';
import { toItsEnd } from '../../test/support/to-its-end.ts';
import { MAX_JSON_DEPTH, MAX_JSON_VALUES, parseForeignJson } from './foreign-json.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const listOf = (values: number, value = '0') => `[${Array.from({ length: values }, () => value).join(',')}]`;

describe('parseForeignJson', () => {
  test.each(['{}', 'null', '7', '"a"', '[1,{"b":"c"}]', `{"a":"${'x'.repeat(100_000)}"}`])(
    'gives the value of JSON (%#)',
    (text) => {
      expect(parseForeignJson(text)).toEqual({ value: JSON.parse(text) as unknown });
    },
  );

  test.each(['', '{', 'nonsense', '{"a":}'])('says that %j is no JSON', (text) => {
    expect(parseForeignJson(text)).toEqual({ issue: expect.any(String), isTooLarge: false });
  });

  test('passes over a byte order mark at the beginning, and no other', () => {
    expect(parseForeignJson('\uFEFF[1]')).toEqual({ value: [1] });
    expect(parseForeignJson('\uFEFF\uFEFF[1]')).toHaveProperty('issue');
  });

  test('takes as many values as are allowed, and not one more', () => {
    const tooMany = { issue: expect.stringContaining('values'), isTooLarge: true };
    expect(parseForeignJson(listOf(MAX_JSON_VALUES - 1))).toHaveProperty('value');
    expect(parseForeignJson(listOf(MAX_JSON_VALUES))).toEqual(tooMany);
    expect(parseForeignJson(listOf(MAX_JSON_VALUES / 2, '[]'))).toEqual(tooMany);
  });

  test('takes as many levels as are allowed, and not one more', () => {
    expect(parseForeignJson(nested(MAX_JSON_DEPTH))).toHaveProperty('value');
    expect(parseForeignJson(nested(MAX_JSON_DEPTH + 1))).toEqual({
      issue: expect.stringContaining('levels'),
      isTooLarge: false,
    });
    expect(parseForeignJson(nested(3), { maxDepth: 3 })).toHaveProperty('value');
    expect(parseForeignJson(nested(4), { maxDepth: 3 })).toMatchObject({ issue: expect.stringContaining('3 levels') });
  });

  test('does not count what is in strings, whatever is escaped there', () => {
    const text = JSON.stringify([`"\\${'[,{'.repeat(MAX_JSON_VALUES)}\\\\"`, '\\']);
    expect(parseForeignJson(text)).toEqual({ value: JSON.parse(text) as unknown });
  });

  test('comes to its end with a text of four megabytes, of whatever it is made', async () => {
    const size = 4 * 1024 * 1024;
    const fill = (chunk: string) => chunk.repeat(Math.ceil(size / chunk.length)).slice(0, size);
    const texts = ['[', '[],', '{},', '"', String.raw`\"`, '"\\', '{"a":', '0,'].map(fill);
    for (const text of texts) expect(await toItsEnd(() => parseForeignJson(text))).toHaveProperty('issue');
  });
});
