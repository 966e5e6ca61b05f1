import { expect, test } from '@jest/globals';
import type { CallRecord, TurnRecord } from '../transcripts/index.ts';
import { askedTools } from './asked-tools.ts';

function call(name: string, names?: unknown, status: CallRecord['status'] = 'success'): CallRecord {
  return { id: name, name, arguments: names === undefined ? {} : { names }, status, result: '' };
}

function turn(...calls: readonly CallRecord[]): TurnRecord {
  return { question: 'x', steps: [{ text: '', rawText: null, calls, state: null }], answer: null };
}

const NAMED = new Set(['a', 'b', 'c', 'd']);

test('tools are asked for in the order in which they were described or called first, over all turns', () => {
  const turns = [turn(call('tool_describe', ['b', 'x']), call('a')), turn(call('c', undefined, 'error'), call('b'))];
  expect(askedTools(turns, NAMED)).toEqual(['b', 'a', 'c']);
});

test('a call that was not answered describes nothing, whatever its arguments are', () => {
  const calls = [call('tool_describe', ['a'], 'error'), call('tool_describe', 'b'), call('tool_describe', [1, null])];
  expect(askedTools([turn(...calls)], NAMED)).toEqual([]);
});

test('the oldest go when more than 40 were asked for, and come back when they are asked for again', () => {
  const names = Array.from({ length: 41 }, (_, at) => `t${at}`);
  const asked = askedTools([turn(call('tool_describe', names))], new Set(names));
  expect([asked.length, asked[0], asked.at(-1)]).toEqual([40, 't1', 't40']);
  const again = askedTools([turn(call('tool_describe', names)), turn(call('t0'))], new Set(names));
  expect([again[0], again.at(-1)]).toEqual(['t2', 't0']);
});
