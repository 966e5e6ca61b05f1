import { describe, expect, test } from '@jest/globals';
import { scrub } from './provider-failure.ts';

describe('scrub', () => {
  test.each([
    'sk-proj-abcdefgh12345678',
    'gsk_abcdefgh12345678',
    'Bearer abc.def.ghi',
    'AIzaSyA1234567890abcdefghijklmn',
    'sk-ab12********wxyz',
  ])('takes out what looks like a key (%s)', (key) => {
    expect(scrub(`Wrong key ${key} given`, undefined)).not.toContain(key.slice(-4));
  });

  test('takes out the secret of the account, whatever its form', () => {
    expect(scrub('Wrong: hunter2!, hunter2!', 'hunter2!')).toBe('Wrong: [secret], [secret]');
  });

  test('makes one short line', () => {
    expect(scrub(` a\n\n b\t${'c'.repeat(1_000)}`, undefined)).toMatch(/^a b c{296}…$/);
  });

  test('replaces what cannot be stored, also where the line was cut through a character', () => {
    expect(scrub('a\u0000b\uD800c', undefined)).toBe('a\uFFFDb\uFFFDc');
    expect(scrub(`${'a'.repeat(299)}🌍`, undefined).isWellFormed()).toBe(true);
  });

  test('leaves plain words alone', () => {
    expect(scrub('The model gpt-4o does not exist', undefined)).toBe('The model gpt-4o does not exist');
  });
});
