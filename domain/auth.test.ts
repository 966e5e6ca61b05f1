import { describe, expect, test } from '@jest/globals';
import { evaluateGuess, type WrongGuesses } from './auth.ts';

const after = (counts: Partial<WrongGuesses>, isKnown: boolean) =>
  evaluateGuess({ pair: 0, account: 0, address: 0, ...counts }, isKnown);

describe('evaluateGuess', () => {
  test.each([true, false])('checks a guess below all limits, from a known address (%j) or not', (isKnown) => {
    expect(after({ pair: 9, account: 49, address: 99 }, isKnown)).toBe('looked_at');
  });

  test.each([true, false])('refuses the eleventh of a pair, also from a known address (%j)', (isKnown) => {
    expect(after({ pair: 10 }, isKnown)).toEqual({ rejected: 'pair' });
    expect(after({ pair: 10, account: 50, address: 100 }, isKnown)).toEqual({ rejected: 'pair' });
  });

  test.each([
    [{ account: 50 }, 'account'],
    [{ address: 100 }, 'address'],
    [{ account: 5_000, address: 5_000 }, 'account'],
  ] as const)('after %j lets in those only who are known and right', (counts, rejected) => {
    expect(after(counts, false)).toEqual({ rejected });
    expect(after(counts, true)).toBe('only_if_right');
  });
});
