import { describe, expect, test } from '@jest/globals';
import type { TurnCall } from '../../../db/turns/calls/list-turn-calls.ts';
import { parseExactJson } from '../../../domain/core/exact-json.ts';
import { shownCalls } from './shown-calls.ts';

function callWith(fields: Partial<TurnCall>): TurnCall {
  return {
    id: '019aa000-0000-7000-8000-000000000000',
    step: 0,
    name: 'file_edit',
    arguments: {},
    status: 'success',
    result: null,
    startedAt: new Date(0),
    endedAt: new Date(1),
    task: null,
    ...fields,
  } as TurnCall;
}

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('shownCalls', () => {
  test('shows small calls as they were', () => {
    const args = { path: 'a.txt', edits: [{ old: '1', new: '2' }], count: 3, none: null };
    const { tool_calls_detail: shown } = shownCalls([callWith({ arguments: args, result: 'done' })], ['']);
    expect(shown[0]).toMatchObject({ arguments: args, result: 'done', status: 'success' });
  });

  test('shows all digits of long numbers', () => {
    const args = parseExactJson('{"id":1234567890123456789,"list":[{"of":9007199254740993}],"price":1.50}');
    const call = callWith({ arguments: args as TurnCall['arguments'] });
    const { tool_calls_detail: shown } = shownCalls([call], ['']);
    expect(JSON.parse(JSON.stringify(shown[0]?.arguments))).toEqual({
      id: '1234567890123456789',
      list: [{ of: '9007199254740993' }],
      price: 1.5,
    });
  });

  test('says where in the answer each call was made, in UTF-16 code units', () => {
    const calls = [0, 0, 1, 2].map((step) => callWith({ step }));
    const { tool_calls_detail: shown } = shownCalls(calls, ['I look. 😀', '', 'Again.']);
    expect(shown.map(({ offset }) => offset)).toEqual([10, 10, 10, 18]);
  });

  test('cuts each long text to 2,000 characters', () => {
    const long = 'x'.repeat(5_000);
    const { tool_calls_detail: shown } = shownCalls([callWith({ arguments: { a: long, b: 1 }, result: long })], ['']);
    const cut = `${'x'.repeat(2_000)}…`;
    expect(shown[0]).toMatchObject({ arguments: { a: cut, b: 1 }, result: cut });
  });

  test.each([
    ['a long text', { text: 'x'.repeat(260_000) }],
    ['many texts', Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, 'x'.repeat(800)]))],
    ['a long list', { list: Array.from({ length: 20_000 }, () => 1) }],
    ['a long name', { ['k'.repeat(260_000)]: 1 }],
  ])('keeps 1,600 calls with %s as arguments and long results below 1.5 MB', (_what, args) => {
    const task = {
      id: 'id',
      agentId: 'id',
      agentName: 'Agent',
      title: 'Task',
      subChatId: 'id',
      status: 'completed',
      output: 'x'.repeat(1_000_000),
      usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0, estimated: false, cost: 0 },
    } as TurnCall['task'];
    const calls = Array.from({ length: 1_600 }, () => callWith({ arguments: args, result: 'x'.repeat(50_000), task }));
    const shown = shownCalls(calls, ['']);
    expect(bytes(shown)).toBeLessThan(1_500_000);
    expect(shown.tool_calls_detail).toHaveLength(1_600);
  });
});
