import { describe, expect, test } from '@jest/globals';
import { inexactNumberIn, isSourceNumber, parseExactJson, withPlainNumbers } from './exact-json.ts';

const rewritten = (text: string) => JSON.stringify(parseExactJson(text));

describe('JSON that is parsed exactly', () => {
  test.each([
    '{"id":1234567890123456789}',
    '{"id":-1234567890123456789,"expression":5,"extra":true}',
    '[1.10,1.0,-0,0.10,1e3,1E400,-1.5e-7,9007199254740993,0.1234567890123456789012]',
    '1234567890123456789',
    '0.0000001',
    '{"a":-0.00000012,"b":[0.000001,0.00000000005]}',
    '{"a":[{"b":12345678901234567890}],"text":"1.10, 1e3 and : 1234567890123456789"}',
    '{"plain":[1,2.5,-3,0,1000000],"on":true,"none":null}',
  ])('is written as it was: %s', (text) => {
    expect(rewritten(text)).toBe(text);
  });

  test('has plain numbers wherever these are written the same', () => {
    expect(parseExactJson('{"a":[1,2.5,-3,12345678901]}')).toEqual({ a: [1, 2.5, -3, 12_345_678_901] });
  });

  test('has plain numbers for code that calculates', () => {
    const value = parseExactJson('{"a":[1.10,1e3],"b":1234567890123456789}');
    expect(withPlainNumbers(value)).toEqual({ a: [1.1, 1000], b: 1234567890123456800 });
  });

  test('says which number would be another one', () => {
    const found = ['1.10', '1e3', '0.1234567890123456789', '9007199254740992', '9007199254740992.0', '1e22'].map(
      (text) => inexactNumberIn(parseExactJson(`{"a":[${text}]}`)),
    );
    expect(found).toEqual(found.map(() => undefined));
    for (const text of [
      '9007199254740993',
      '-1234567890123456789',
      '1e400',
      '12345678901234567891.5',
      '12345678901234566.5',
    ])
      expect(inexactNumberIn(parseExactJson(`{"a":["1",${text}]}`))).toBe(text);
  });

  test('keeps no other value as a text', () => {
    expect(['1', 1, null, {}, { rawJSON: '1' }, [1]].some(isSourceNumber)).toBe(false);
  });

  test('is found out in time that grows with its length only', () => {
    for (const part of [':', ': ', '1', ':1', '.1', '1e', '0.', ',-', '0.0'])
      expect(() => parseExactJson(`${part.repeat(200_000)}x`)).toThrow(SyntaxError);
  });
});
