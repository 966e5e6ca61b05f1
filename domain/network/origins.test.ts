import { describe, expect, test } from '@jest/globals';
import { parseOrigins } from './origins.ts';

describe('a list of origins', () => {
  test('is read as browsers name them', () => {
    expect([...parseOrigins('https://a.example.com, http://localhost:5173/ ,')]).toEqual([
      'https://a.example.com',
      'http://localhost:5173',
    ]);
    expect(parseOrigins('').size).toBe(0);
  });

  test.each([
    '*',
    'null',
    'a.example.com',
    'https://a.example.com/app',
    'https://a.example.com:443',
    'ftp://a',
    'https://u@a',
  ])('is refused with %s in it', (entry) => expect(() => parseOrigins(entry)).toThrow(`"${entry}" is not an origin`));
});
