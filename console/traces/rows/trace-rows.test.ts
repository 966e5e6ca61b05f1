import { describe, expect, test } from '@jest/globals';
import { nextOfState, rowsOf, type StepOf, type TraceStep, turnOfStep } from './trace-rows.ts';

const time = (ms: number) => new Date(Date.UTC(2027, 0, 1) + ms).toISOString();

const usage = {
  input_tokens: 1,
  output_tokens: 1,
  cached_input_tokens: 0,
  reasoning_tokens: 0,
  estimated: false,
  cost: null,
};

function call(id: string, more: Partial<StepOf<'call'>> = {}): StepOf<'call'> {
  return {
    id,
    parent_id: null,
    kind: 'call',
    started_at: time(0),
    ended_at: time(50),
    step: 0,
    name: 'file_read',
    label: `Reading ${id}`,
    effect: 'read',
    status: 'success',
    tries: 1,
    arguments_excerpt: '{}',
    result_excerpt: '',
    usage: null,
    sub_agent: null,
    ...more,
  };
}

const subAgent = (turn: string) => ({
  turn_id: turn,
  chat_id: `chat of ${turn}`,
  agent_name: 'Scout',
  title: 'Look',
  status: 'completed' as const,
  usage,
});

const closed = { toggled: new Set<string>(), revealed: undefined };
const reads = (ids: string, more: Partial<StepOf<'call'>> = {}) => ids.split('').map((id) => call(id, more));
const shown = (steps: readonly TraceStep[], view = closed as Parameters<typeof rowsOf>[1]) =>
  rowsOf(steps, view).map(({ id, depth }) => `${' '.repeat(depth)}${id}`);

describe('rowsOf', () => {
  const tree = [
    call('lead', { effect: 'agent', sub_agent: subAgent('sub') }),
    ...reads('xy', { parent_id: 'lead' }),
    call('last', { effect: 'once' }),
  ];

  test('has what is below a row after it, unless that is closed', () => {
    expect(shown(tree)).toEqual(['lead', ' x', ' y', 'last']);
    expect(shown(tree, { ...closed, toggled: new Set(['lead']) })).toEqual(['lead', 'last']);
  });

  test('says at which place of how many a row stands', () => {
    const positions = (steps: readonly TraceStep[], view = closed as Parameters<typeof rowsOf>[1]) =>
      rowsOf(steps, view).map(({ id, position, of }) => `${id} ${position}/${of}`);
    expect(positions(tree)).toEqual(['lead 1/2', 'x 1/2', 'y 2/2', 'last 2/2']);
    const steps = [...reads('abcd'), call('slow', { ended_at: time(1_500) })];
    expect(positions(steps)).toEqual(['reads.a 1/2', 'slow 2/2']);
    const open = positions(steps, { ...closed, toggled: new Set(['reads.a']) });
    expect(open).toEqual(['reads.a 1/2', 'a 1/4', 'b 2/4', 'c 3/4', 'd 4/4', 'slow 2/2']);
  });

  test('opens what is above a step that is to be seen', () => {
    const view = { toggled: new Set(['lead']), revealed: 'y' };
    expect(shown(tree, view)).toEqual(['lead', ' x', ' y', 'last']);
  });

  test('folds quick successful reads that follow each other, and no others', () => {
    const steps = [
      ...reads('abcd'),
      call('slow', { ended_at: time(1_500) }),
      ...reads('ef'),
      call('failed', { status: 'error' }),
      call('write', { effect: 'keyed' }),
      ...reads('ghi'),
    ];
    expect(shown(steps)).toEqual(['reads.a', 'slow', 'e', 'f', 'failed', 'write', 'g', 'h', 'i']);
    expect(shown(steps, { ...closed, toggled: new Set(['reads.a']) }).slice(0, 5)).toEqual([
      'reads.a',
      ' a',
      ' b',
      ' c',
      ' d',
    ]);
    expect(shown(steps, { ...closed, revealed: 'c' })).toContain(' c');
  });

  test('takes 5,000 steps in one go', () => {
    const steps = Array.from({ length: 5_000 }, (_, index) => call(`${index}`, { effect: 'keyed' }));
    expect(rowsOf(steps, closed)).toHaveLength(5_000);
  });
});

test('nextOfState finds the next one of a state, and begins again after the last', () => {
  const steps = [call('a', { status: 'error' }), call('b'), call('c', { status: 'error' }), call('d')];
  expect(nextOfState(steps, undefined, 'error')?.id).toBe('a');
  expect(nextOfState(steps, 'a', 'error')?.id).toBe('c');
  expect(nextOfState(steps, 'c', 'error')?.id).toBe('a');
  expect(nextOfState(steps, 'a', 'unknown')).toBeUndefined();
});

test('placeOf names the turn that a step belongs to: that of the sub-agent above it', () => {
  const steps = [
    call('lead', { sub_agent: subAgent('one') }),
    call('below', { parent_id: 'lead', sub_agent: subAgent('two') }),
    call('deep', { parent_id: 'below' }),
  ];
  const own = { chatId: 'chat', turnId: 'own' };
  const turns = steps.map((step) => turnOfStep(steps, step, own).turnId);
  expect(turns).toEqual(['own', 'one', 'two']);
});
