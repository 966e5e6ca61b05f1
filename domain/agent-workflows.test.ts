import { describe, expect, test } from '@jest/globals';
import {
  namesIn,
  nextTransition,
  renderTemplate,
  type RunProgress,
  type RunTurn,
  type StepApproval,
  stepOfName,
} from './agent-workflows.ts';

const render = (template: string, values: Readonly<Record<string, unknown>> = {}) =>
  renderTemplate(template, values, 1_000);

describe('a template', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['Hello {{ name }}, {{name}}!', { name: 'Ada' }, 'Hello Ada, Ada!'],
    ['{{ count }} {{ on }} {{ none }}.', { count: 1.5, on: false, none: null }, '1.5 false .'],
    ['{{ list }} {{ object }}', { list: [1, 'a'], object: { a: { b: 1 } } }, '[1,"a"] {"a":{"b":1}}'],
    ['{{ user.name }} {{ list.1 }}', { user: { name: 'Ada' }, list: ['a', 'b'] }, 'Ada b'],
    ['{{ user.name }}', { 'user.name': 'flat', user: { name: 'deep' } }, 'flat'],
    ['{{ a }}', { a: '{{ b }}', b: 'never' }, '{{ b }}'],
    ['{ {a} } {{ }} {{a b}} {{', { a: 1 }, '{ {a} } {{ }} {{a b}} {{'],
    ['costs $& and $1: {{ a }}', { a: '$&' }, 'costs $& and $1: $&'],
  ])('renders %j with %j', (template, values, text) => {
    expect(render(template, values)).toEqual({ text, missing: [] });
  });

  test.each(['constructor', '__proto__', 'toString', 'a.constructor', 'a.length', 'a.b.c', 'steps.x.output'])(
    'has nothing for {{ %s }}, and says so once',
    (name) => {
      const values = { a: 'text', list: [1] };
      expect(render(`<{{ ${name} }}{{${name}}}>`, values)).toEqual({ text: '<>', missing: [name] });
    },
  );

  test('is not rendered beyond a length, however often it contains a value', () => {
    const many = '{{ a }}'.repeat(10_000);
    expect(renderTemplate(many, { a: 'x'.repeat(1_000_000) }, 200_000)).toBeUndefined();
    expect(renderTemplate(many, { a: 'x' }, 10_000)?.text).toHaveLength(10_000);
    expect(renderTemplate(many, { a: 'x' }, 9_999)).toBeUndefined();
  });

  test('is read in time that grows with its length only', () => {
    for (const text of ['{'.repeat(100_000), '{{ '.repeat(50_000), `{{${' '.repeat(100_000)}`, '{{a'.repeat(40_000)])
      expect(namesIn(text)).toEqual([]);
  });

  test('declares its names, those of steps apart', () => {
    expect(namesIn('{{ b }}{{a}}{{ b }}')).toEqual(['b', 'a']);
    expect(['steps.find-it.output', 'steps.a.error', 'steps.a.b.output', 'a'].map(stepOfName)).toEqual([
      'find-it',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

const NOW = new Date('2026-12-15T12:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);

const turn = (status: RunTurn['status'], fields: Partial<RunTurn> = {}): RunTurn => ({
  step: 0,
  attempt: 1,
  status,
  endedAt: status === 'queued' || status === 'running' ? null : ago(1),
  error: status === 'failed' ? 'It broke.' : null,
  ...fields,
});

function decide(turns: readonly RunTurn[], fields: Partial<RunProgress> = {}) {
  const steps = [
    { name: 'find', approval: false, retries: 0 },
    { name: 'send', approval: false, retries: 2 },
  ];
  const still = { isInterrupted: false, isCallAsked: false, deadlineAt: null, timeLimitMinutes: 5 };
  return nextTransition({ steps, turns, approvals: [], ...still, ...fields }, NOW);
}

describe('the next transition of a run', () => {
  test('begins its steps one after the other, and ends it after the last', () => {
    expect(decide([])).toEqual({ kind: 'begin', step: 0, attempt: 1 });
    expect(decide([turn('completed')])).toEqual({ kind: 'begin', step: 1, attempt: 1 });
    const done = [turn('completed'), turn('completed', { step: 1 })];
    expect(decide(done)).toEqual({ kind: 'end', status: 'completed', error: null });
    // What is done is done, whatever comes too late.
    expect(decide(done, { isInterrupted: true, deadlineAt: ago(1) })).toMatchObject({ status: 'completed' });
  });

  test.each(['queued', 'running'] as const)(
    'waits while its turn is %s, and stops it when asked or overdue',
    (status) => {
      const later = ago(-60);
      expect(decide([turn(status)])).toEqual({ kind: 'wait', until: null });
      expect(decide([turn(status)], { deadlineAt: later })).toEqual({ kind: 'wait', until: later });
      expect(decide([turn(status)], { deadlineAt: ago(0) })).toEqual({ kind: 'stop' });
      expect(decide([turn(status)], { isInterrupted: true })).toEqual({ kind: 'stop' });
      // While a call waits for a person, the time limit stands still.
      const asked = { kind: 'wait', until: ago(-3_600) };
      expect(decide([turn(status)], { deadlineAt: later, isCallAsked: true })).toEqual(asked);
      expect(decide([turn(status)], { isCallAsked: true })).toEqual({ kind: 'wait', until: null });
    },
  );

  test('tries a failed step again as often as it says, with growing pauses', () => {
    const second = (attempt: number, endedAt: Date) =>
      decide([turn('completed'), turn('failed', { step: 1, attempt, endedAt })]);
    expect(decide([turn('failed')])).toEqual({ kind: 'end', status: 'failed', error: 'It broke.' });
    expect(second(1, ago(1))).toEqual({ kind: 'wait', until: ago(-4) });
    expect(second(1, ago(5))).toEqual({ kind: 'begin', step: 1, attempt: 2 });
    expect(second(2, ago(5))).toEqual({ kind: 'wait', until: ago(-10) });
    expect(second(3, ago(600))).toEqual({ kind: 'end', status: 'failed', error: 'It broke.' });
  });

  test('asks before a step that needs an approval, once, and goes by the decision', () => {
    const steps = [
      { name: 'find', approval: false, retries: 0 },
      { name: 'send', approval: true, retries: 1 },
    ];
    const asked: StepApproval = { step: 1, status: 'pending', expiresAt: ago(-60), deciderName: null, note: null };
    const found = [turn('completed')];
    const after = (fields: Partial<StepApproval>, more: Partial<RunProgress> = {}) =>
      decide(found, { steps, approvals: [{ ...asked, ...fields }], ...more });
    expect(decide(found, { steps })).toEqual({ kind: 'ask', step: 1 });
    expect(after({})).toEqual({ kind: 'ask', step: 1 });
    expect(after({ status: 'approved' })).toEqual({ kind: 'begin', step: 1, attempt: 1 });
    const denied = { kind: 'end', status: 'interrupted', error: 'The step "send" was denied by Ada: not yet' };
    expect(after({ status: 'denied', deciderName: 'Ada', note: 'not yet' })).toEqual(denied);
    expect(after({ status: 'denied' })).toMatchObject({ error: 'The step "send" was denied by somebody.' });
    const expired = { kind: 'end', status: 'failed', error: 'Nobody has approved the step "send" in time.' };
    expect(after({ expiresAt: ago(0) })).toEqual(expired);
    expect(after({}, { isInterrupted: true })).toMatchObject({ status: 'interrupted', error: null });
    // The time limit stands still while a person is waited for, and nobody is asked when it is up.
    expect(after({}, { deadlineAt: ago(1) })).toEqual({ kind: 'ask', step: 1 });
    expect(decide(found, { steps, deadlineAt: ago(1) })).toMatchObject({ status: 'failed' });
    // A further attempt needs no further approval.
    const again = [...found, turn('failed', { step: 1, endedAt: ago(60) })];
    const approvals = [{ ...asked, status: 'approved' } as const];
    expect(decide(again, { steps, approvals })).toEqual({ kind: 'begin', step: 1, attempt: 2 });
  });

  test('ends a run that was asked to stop, whose turn was, and whose time is up', () => {
    expect(decide([turn('interrupted')])).toEqual({ kind: 'end', status: 'interrupted', error: null });
    expect(decide([], { isInterrupted: true })).toEqual({ kind: 'end', status: 'interrupted', error: null });
    expect(decide([turn('completed')], { isInterrupted: true })).toMatchObject({ status: 'interrupted' });
    const error = 'The time limit of the run is up: 5 minutes.';
    expect(decide([turn('interrupted')], { deadlineAt: ago(1) })).toEqual({ kind: 'end', status: 'failed', error });
    const short = { deadlineAt: ago(1), timeLimitMinutes: 1 };
    expect(decide([], short)).toMatchObject({ error: 'The time limit of the run is up: 1 minute.' });
  });
});
