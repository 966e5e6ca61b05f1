import { expect } from '@jest/globals';
import type { CallsEnding, ManyCallsEnding } from './attacker.ts';
import { tally } from './tally.ts';

/** Holds that every call came back with a failure that fits, and says what the first was told. */
export function expectRefused({ kind, results }: CallsEnding, words: RegExp): string {
  expect(kind).toBe('answered');
  expect(results.length).toBeGreaterThan(0);
  for (const result of results) expect(result).toMatch(words);
  return `${results.length === 1 ? 'refused' : `${results.length} refused`}: ${messageOf(results[0])}`;
}

/** Holds that the calls came back, or went on until they were interrupted, and says which. */
export function expectBounded({ kind, results, tookMs }: CallsEnding): string {
  expect(['answered', 'stopped']).toContain(kind);
  if (kind === 'stopped') return 'at work until it was interrupted';
  expect(results.length).toBeGreaterThan(0);
  return `${results.length === 1 ? 'answered' : `${results.length} answered`} in ${seconds(tookMs)}: ${messageOf(results[0])}`;
}

/** Holds that calls in many chats struck, each result as it should be, and that all chats came to an end. */
export function expectStruck({ endings, results }: ManyCallsEnding, words: RegExp): string {
  for (const { kind } of endings) expect(['answered', 'stopped']).toContain(kind);
  expect(results.length).toBeGreaterThan(0);
  for (const result of results) expect(result).toMatch(words);
  return `${tally(endings.map(({ kind }) => kind))}; ${results.length} results: ${messageOf(results[0]).slice(0, 60)}`;
}

/** What a result says of a failure, or the result itself. */
export function messageOf(result = ''): string {
  return /"message":"((?:[^"\\]|\\.)*)"/.exec(result)?.[1] ?? result;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
