import { expect, test } from '@jest/globals';
import type { StepOf } from '../rows/trace-rows.ts';
import { rangeOfRows, sumOfRange } from './range-sum.ts';

const BEGIN = Date.UTC(2027, 0, 1);
const time = (ms: number) => new Date(BEGIN + ms).toISOString();
const span = (from: number, to: number) => ({ from: BEGIN + from, to: BEGIN + to });
const usage = (tokens: number, cost: number | null, estimated = false) => ({
  input_tokens: tokens,
  output_tokens: 1,
  cached_input_tokens: 0,
  reasoning_tokens: 0,
  estimated,
  cost,
});

function modelCall(id: string, from: number, to: number, used = usage(10, 0.5)): StepOf<'model_call'> {
  return {
    id,
    parent_id: null,
    kind: 'model_call',
    started_at: time(from),
    ended_at: time(to),
    outcome: 'replied',
    usage: used,
  } as StepOf<'model_call'>;
}

const SUB_AGENT = {
  ...modelCall('sub', 0, 9_000),
  kind: 'call',
  sub_agent: { usage: usage(1_000, 9) },
  usage: null,
} as unknown as StepOf<'call'>;

test('a range sums the tokens and the cost of what touches it, and the time in which it was worked, once', () => {
  const steps = [modelCall('a', 0, 1_000), modelCall('b', 500, 2_000), modelCall('c', 3_000, 4_000), SUB_AGENT];
  expect(sumOfRange(steps, span(500, 2_500), BEGIN)).toEqual({
    lengthMs: 2_000,
    workingMs: 1_500,
    modelCalls: 2,
    tokens: 22,
    isEstimate: false,
    cost: 1,
  });
});

test('where a price is not known there is no cost, and estimates are said to be such', () => {
  const steps = [modelCall('a', 0, 1_000, usage(10, null, true)), modelCall('b', 0, 1_000)];
  expect(sumOfRange(steps, span(0, 1_000), BEGIN)).toMatchObject({ cost: null, isEstimate: true, tokens: 22 });
  expect(sumOfRange([], span(0, 1_000), BEGIN)).toMatchObject({ cost: 0, tokens: 0, workingMs: 0 });
});

test('the range of rows is from the first begin to the last end', () => {
  const row = (step: StepOf<'model_call'>) =>
    ({ kind: 'step', id: step.id, depth: 0, position: 1, of: 1, isOpen: undefined, step }) as const;
  const rows = [row(modelCall('b', 500, 2_000)), row(modelCall('a', 100, 700))];
  expect(rangeOfRows(rows, BEGIN)).toEqual(span(100, 2_000));
  expect(rangeOfRows([], BEGIN)).toBe(undefined);
});
