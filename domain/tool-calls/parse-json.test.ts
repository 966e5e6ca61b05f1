import { describe, expect, test } from '@jest/globals';
import { toItsEnd } from '../../test/support/to-its-end.ts';
import { parseJson } from './parse-json.ts';

describe('parseJson', () => {
  test.each([
    ['{"a": "one\ntwo"}', { a: 'one\ntwo' }],
    ['{"a": "tab\there", "b\r": 1}', { a: 'tab\there', 'b\r': 1 }],
    ['{\n"a": "x\\"y\n\\\\"\n}', { a: 'x"y\n\\' }],
  ])('takes line breaks and tabs in strings for what they are meant to be (%j)', (text, value) => {
    expect(parseJson(text)).toEqual({ value });
  });

  test.each(['{"a": "one\ntwo}', '\n"', '{"a":\n}'])('says what is wrong with %j', (text) => {
    expect(parseJson(text)).toEqual({ issue: expect.any(String), isTooLarge: false });
  });

  test.each([
    ['a string that is never closed', `"\n${String.raw`\"`.repeat(2_000_000)}`],
    ['very many quotation marks', `\n${'"'.repeat(4_000_000)}`],
    ['very many backslashes', `"\n${'\\'.repeat(4_000_000)}`],
    ['very many line breaks', `"${'\n'.repeat(4_000_000)}`],
  ])('looks at each character of %s a few times only', async (_what, text) => {
    expect(await toItsEnd(() => parseJson(text))).toHaveProperty('issue');
  });
});
