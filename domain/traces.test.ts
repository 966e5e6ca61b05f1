import { describe, expect, test } from '@jest/globals';
import type { AttemptRecord, ModelTry } from './turns.ts';
import { attemptSteps, type StepAttempts, type TraceStep, workingMs } from './traces.ts';

const at = (seconds: number) => new Date(Date.UTC(2027, 0, 1) + seconds * 1_000);
const iso = (seconds: number) => at(seconds).toISOString();

const asked = (from: number, to: number, more: Partial<ModelTry> = {}): ModelTry => ({
  account: 'Team',
  accountId: null,
  providerType: 'groq',
  model: 'one',
  startedAt: iso(from),
  firstTokenAt: null,
  endedAt: iso(to),
  outcome: 'replied',
  ...more,
});

const steps = (attempts: readonly AttemptRecord[], more: Partial<StepAttempts> = {}) =>
  attemptSteps({
    turnId: 't',
    parentId: null,
    step: 0,
    attempts,
    endedAt: at(100),
    waitingUntil: null,
    usage: null,
    outputExcerpt: '',
    error: null,
    ...more,
  });

const usage = {
  inputTokens: 1,
  outputTokens: 2,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  estimated: false,
  cost: null,
};

describe('attemptSteps', () => {
  test('gives tokens and text to the call that made the reply, and to no other', () => {
    const failed = asked(0, 1, { outcome: 'failed', failure: 'outage', reason: 'away' });
    const rows = steps([{ at: iso(0), tries: [failed, asked(1, 3)] }], { usage, outputExcerpt: 'Hello' });
    expect(rows).toMatchObject([
      { kind: 'model_call', outcome: 'failed', failure: 'outage', usage: null, outputExcerpt: '' },
      { kind: 'model_call', outcome: 'replied', usage: { outputTokens: 2 }, outputExcerpt: 'Hello' },
    ]);
  });

  test('ends a wait with the attempt after it, and one that continues with nothing', () => {
    const waits = [
      { at: iso(0), waitsFor: 'place' },
      { at: iso(20), tries: [asked(20, 21, { outcome: 'failed' })], waitsFor: 'provider' },
    ] as const;
    expect(steps(waits, { endedAt: null, waitingUntil: at(60) }).filter(({ kind }) => kind === 'wait')).toMatchObject([
      { waitsFor: 'place', startedAt: at(0), endedAt: at(20), until: null },
      { waitsFor: 'provider', startedAt: at(21), endedAt: null, until: at(60) },
    ]);
  });

  test('distinguishes an attempt that was lost from one that was handed over and one that is under way', () => {
    const rows = steps([{ at: iso(0) }, { at: iso(9), isReleased: true }, { at: iso(10) }], { endedAt: null });
    expect(rows).toMatchObject([
      { kind: 'attempt', status: 'lost', endedAt: at(9) },
      { kind: 'attempt', status: 'released', endedAt: at(10) },
      { kind: 'attempt', status: 'running', endedAt: null },
    ]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
  });

  test('says why a turn ended before a model was asked', () => {
    const rows = steps([{ at: iso(0), tries: [] }], { error: 'The token budget is used up.' });
    expect(rows).toMatchObject([{ kind: 'blocked', reason: 'The token budget is used up.' }]);
    expect(steps([{ at: iso(0), tries: [] }])).toEqual([]);
  });

  test('counts what is left out', () => {
    const rows = steps([{ at: iso(0), tries: [asked(0, 1)], triesLeftOut: 4, leftOut: 7 }]);
    expect(rows).toMatchObject([
      { kind: 'model_call' },
      { kind: 'left_out', what: 'model_calls', count: 4 },
      { kind: 'left_out', what: 'attempts', count: 7 },
    ]);
  });
});

test('workingMs counts what overlaps once, no waits, and what continues until now', () => {
  const attempts = [
    { at: iso(0), tries: [asked(0, 4), asked(2, 6)], waitsFor: 'provider' },
    { at: iso(50) },
  ] as const satisfies readonly AttemptRecord[];
  const rows: readonly TraceStep[] = steps(attempts, { endedAt: null });
  expect(workingMs(rows, at(53))).toBe(9_000);
  expect(workingMs([], at(0))).toBe(0);
});
