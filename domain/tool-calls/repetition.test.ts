import { describe, expect, test } from '@jest/globals';
import { evaluateRepetition, repetitionNotice } from './repetition.ts';

interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}
type Step = { readonly calls: readonly (Call & { readonly result: string | null })[] };

function call(name: string, args: Record<string, unknown> = {}): Call {
  return { name, arguments: args };
}

/** Plays replies until one is stopped or none is left; returns a letter for each step: its worst verdict. */
function play(replies: readonly (readonly Call[])[], resultOf: (call: Call, step: number) => string = () => 'same') {
  const steps: Step[] = [];
  let verdicts = '';
  for (const [index, reply] of replies.entries()) {
    const evaluated = evaluateRepetition(steps, reply);
    const words = evaluated.map(({ verdict }) => verdict);
    verdicts += words.includes('stop') ? 's' : words.includes('warn') ? 'w' : '.';
    if (words.includes('stop')) break;
    const calls = reply.map((made, position) => {
      const verdict = evaluated[position];
      return { ...made, result: verdict?.verdict === 'warn' ? repetitionNotice(verdict) : resultOf(made, index) };
    });
    steps.push({ calls });
  }
  return verdicts;
}

function cycle(length: number, ...calls: readonly Call[]): Call[][] {
  return Array.from({ length }, (_, index) => calls.slice(index % calls.length, (index % calls.length) + 1));
}

describe('evaluateRepetition', () => {
  test('warns from the fourth identical call and stops three later', () => {
    expect(play(cycle(20, call('a', { x: 1 })))).toBe('...wwws');
  });

  test('takes arguments in another order for the same', () => {
    const calls = [call('a', { x: 1, y: { p: 1, q: [2] } }), call('a', { y: { q: [2], p: 1 }, x: 1 })];
    expect(play(cycle(20, ...calls))).toBe('...wwws');
  });

  test('lets a call go on longer while its result changes', () => {
    expect(play(cycle(20, call('status')), (_, step) => `${step} %`)).toBe('........wwws');
  });

  test.each([2, 3, 4])('finds a loop of %d calls', (length) => {
    const calls = Array.from({ length }, (_, index) => call(`tool_${index}`));
    const verdicts = play(cycle(50, ...calls));
    expect(verdicts).toMatch(/^\.+www?w?\.*s$/);
    expect(verdicts.length).toBeLessThan(50);
  });

  test('finds nothing in calls with other arguments', () => {
    expect(play(Array.from({ length: 50 }, (_, index) => [call('a', { index })]))).toBe('.'.repeat(50));
  });

  test('lets the same check be made after each change', () => {
    const replies = Array.from({ length: 20 }, (_, index) => [[call('edit', { index })], [call('check')]]).flat();
    expect(play(replies)).toBe('.'.repeat(40));
  });

  test('counts a call once a step', () => {
    const twice = [call('dice'), call('dice'), call('dice'), call('dice')];
    expect(play([twice, twice])).toBe('..');
  });

  test('warns of the repeated call only', () => {
    const result = 'same';
    const a = { ...call('a'), result };
    const b = { ...call('b'), result };
    const evaluated = evaluateRepetition(
      [{ calls: [b] }, { calls: [a] }, { calls: [a] }, { calls: [a] }],
      [call('b'), call('a')],
    );
    expect(evaluated).toEqual([
      { verdict: 'fine', times: 0 },
      { verdict: 'warn', times: 3 },
    ]);
  });
});
