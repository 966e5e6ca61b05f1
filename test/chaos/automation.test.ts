import { expect, test } from '@jest/globals';
import { type AutomationEvidence, automationVerdicts } from '../../chaos/audit/automation.ts';
import type { PlannedTurn } from '../../chaos/messages/turn-plan.ts';

const MINUTE_MS = 60_000;
const FIRST_SLOT = Date.UTC(2026, 10, 23, 8, 0, 0);

function turn(name: string): PlannedTurn {
  return {
    content: `${name} please`,
    text: name,
    effects: [],
    children: [],
    callCount: 0,
    stepCount: 1,
    mustFail: false,
    mayDiverge: false,
  };
}

/** A run with one accepted request, one approved review, and two schedules with three slots each. */
function soundRun() {
  const call = { index: 0, deliveryId: 'call-0', turn: turn('w'), isRepeated: true };
  const review = {
    index: 1,
    key: 'review-1',
    draft: turn('d'),
    review: turn('r'),
    edited: turn('e'),
    end: turn('z'),
    decision: 'approve' as 'approve' | 'deny' | 'edit',
    isContested: true,
  };
  const scheduled = (overlap: 'allow_all' | 'skip') => ({ name: overlap, overlap, second: 0, turn: turn(overlap) });
  const run = {
    scheduleId: null as string | null,
    workflowId: null as string | null,
    deliveryKey: null as string | null,
    slot: null as number | null,
    status: 'completed',
    error: null as string | null,
    wasAskedToStop: false,
    createdAt: FIRST_SLOT,
    completedAt: (FIRST_SLOT + 1_000) as number | null,
  };
  const ofSlot = (schedule: 'allow_all' | 'skip', at: number) => {
    const slot = FIRST_SLOT + at * MINUTE_MS;
    const times = { slot, createdAt: slot + 500, completedAt: slot + 1_000 };
    return { ...run, ...times, id: `${schedule}-${at}`, scheduleId: schedule, output: schedule, questions: [] };
  };
  const runs = [
    { ...run, id: 'w', workflowId: 'calls', deliveryKey: 'call-0', output: 'w' as string, questions: ['w please'] },
    { ...run, id: 'v', workflowId: 'reviews', output: 'z' as string, questions: ['d please', 'r please', 'z please'] },
    ...[0, 1, 2].flatMap((at) => [ofSlot('allow_all', at), ofSlot('skip', at)]),
  ];
  const messages = runs.map(({ id, workflowId, scheduleId }, seq) => ({
    id: `told-${id}`,
    targetId: workflowId ?? scheduleId ?? '',
    destination: null as string | null,
    runId: id,
    status: 'delivered',
    seq,
  }));
  const reports = (['email', 'slack'] as const).flatMap((kind) =>
    runs.map(({ id: runId }, at) => {
      const messageId = kind === 'email' ? `<${runId}@example.org>` : null;
      return { kind, runId, messageId, isTaken: true, at };
    }),
  );
  const sent = reports.map(({ kind, runId, at }) => ({
    id: `${kind}-${runId}`,
    targetId: kind,
    destination: kind,
    runId,
    status: 'delivered',
    seq: at,
  }));
  const delegation = { id: 'k', runId: 'w', task: 'answer w', status: 'success', result: '<<mark\nw\nmark>>' };
  return {
    facts: {
      delegations: [delegation],
      runs,
      approvals: [{ id: 'a', runId: 'v', status: 'approved' }],
      deliveries: [...messages, ...sent],
    },
    reports,
    given: ['answer w'],
    notified: messages.map(({ id, runId, targetId }, at) => ({
      target: targetId,
      deliveryId: id,
      runId,
      output: null,
      isSigned: true,
      isTaken: true,
      at,
    })),
    work: {
      plan: { calls: [call], reviews: [review], schedules: [scheduled('allow_all'), scheduled('skip')] },
      automation: {
        apiUrl: '',
        orgId: '',
        token: '',
        callsId: 'calls',
        secret: '',
        reviewsId: 'reviews',
        scheduleIds: new Map([
          ['allow_all', 'allow_all'],
          ['skip', 'skip'],
        ]),
        firstSlot: FIRST_SLOT,
      },
      calls: new Map([[call, ['w', 'w']]]),
      reviews: new Map([[review, 'v']]),
      decisions: [
        { approvalId: 'a', approve: true, status: 200, said: 'approved' },
        { approvalId: 'a', approve: false, status: 409, said: undefined },
      ],
      stoppedAt: { from: FIRST_SLOT + 2.4 * MINUTE_MS, to: FIRST_SLOT + 2.6 * MINUTE_MS },
    },
  };
}

type Run = ReturnType<typeof soundRun>;

const breached = (run: AutomationEvidence) =>
  automationVerdicts(run).flatMap(({ promise, breaches }) => (breaches?.length === 0 ? [] : [promise]));

function without(items: { readonly id: string }[], id: string): void {
  items.splice(
    items.findIndex((item) => item.id === id),
    1,
  );
}

function byId<T extends { readonly id: string }>(items: readonly T[], id: string): T {
  const found = items.find((item) => item.id === id);
  if (found === undefined) throw new Error(`there is no ${id}`);
  return found;
}

test('a run in which everything was done once breaks no promise', () => {
  expect(breached(soundRun())).toEqual([]);
});

test('nothing is said of a run without automation', () => {
  expect(automationVerdicts(undefined).map(({ breaches }) => breaches)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a report whose answer was lost comes again', () => {
  const run = soundRun();
  run.reports.push(...run.reports);
  expect(breached(run)).toEqual([]);
});

test('the outcome of work that was given to another platform may be unknown', () => {
  const run = soundRun();
  Object.assign(byId(run.facts.delegations, 'k'), { status: 'unknown', result: null });
  run.given.pop();
  expect(breached(run)).toEqual([]);
});

test('a slot that meets an open run may start none', () => {
  const run = soundRun();
  without(run.facts.runs, 'skip-1');
  Object.assign(byId(run.facts.runs, 'skip-0'), { completedAt: FIRST_SLOT + 1.2 * MINUTE_MS });
  for (const kind of ['told', 'email', 'slack']) without(run.facts.deliveries, `${kind}-skip-1`);
  expect(breached(run)).toEqual([]);
});

test.each<[string, string[], (run: Run) => unknown]>([
  ['a slot has no run', ['P6'], ({ facts }) => without(facts.runs, 'allow_all-1')],
  ['a slot has no run, and none was open', ['P6'], ({ facts }) => without(facts.runs, 'skip-1')],
  [
    'a slot has two runs',
    ['P6', 'A3', 'A4'],
    ({ facts }) => facts.runs.push({ ...byId(facts.runs, 'skip-1'), id: 'again' }),
  ],
  [
    'a run was started beside an open one',
    ['P6'],
    ({ facts }) => Object.assign(byId(facts.runs, 'skip-1'), { completedAt: FIRST_SLOT + 2.2 * MINUTE_MS }),
  ],
  [
    'a run belongs to no slot',
    ['P6'],
    ({ facts }) => Object.assign(byId(facts.runs, 'skip-2'), { slot: FIRST_SLOT + 2 * MINUTE_MS + 1 }),
  ],
  [
    'a run was started after the schedule was stopped',
    ['P6'],
    ({ facts }) => Object.assign(byId(facts.runs, 'skip-2'), { slot: FIRST_SLOT + 3 * MINUTE_MS }),
  ],
  [
    'a run is open',
    ['A1'],
    ({ facts }) => Object.assign(byId(facts.runs, 'skip-2'), { status: 'running', completedAt: null }),
  ],
  [
    'a run of a schedule has failed',
    ['A1'],
    ({ facts }) => Object.assign(byId(facts.runs, 'skip-2'), { status: 'failed' }),
  ],
  ['a request was never accepted', ['A1'], ({ work }) => work.calls.clear()],
  [
    'a repeated request has a second run',
    ['A1', 'A3', 'A4'],
    ({ facts }) => facts.runs.push({ ...byId(facts.runs, 'w'), id: 'w2', deliveryKey: null }),
  ],
  ['a request was answered with another run', ['A1'], ({ work }) => [...work.calls.values()][0]?.push('x')],
  ['a run says something else', ['A1'], ({ facts }) => Object.assign(byId(facts.runs, 'w'), { output: 'x' })],
  [
    'a denied run goes on',
    ['A1', 'A2'],
    ({ facts }) => Object.assign(byId(facts.approvals, 'a'), { status: 'denied' }),
  ],
  ['a run goes on with another prompt', ['A1'], ({ facts }) => (byId(facts.runs, 'v').questions[1] = 'x')],
  [
    'an approval is open',
    ['A1', 'A2'],
    ({ facts }) => Object.assign(byId(facts.approvals, 'a'), { status: 'pending' }),
  ],
  ['nobody was asked', ['A1', 'A2'], ({ facts }) => facts.approvals.pop()],
  ['two are asked', ['A2'], ({ facts }) => facts.approvals.push({ id: 'b', runId: 'v', status: 'approved' })],
  [
    'both decisions counted',
    ['A2'],
    ({ work }) => Object.assign(work.decisions[1] ?? {}, { status: 200, said: 'denied' }),
  ],
  ['nobody decided', ['A2'], ({ work }) => work.decisions.shift()],
  ['a message is missing', ['A3'], ({ facts }) => without(facts.deliveries, 'told-w')],
  ['a message has not arrived', ['A3'], ({ notified }) => notified.shift()],
  ['a message was refused to the end', ['A3'], ({ notified }) => Object.assign(notified[0] ?? {}, { isTaken: false })],
  [
    'a message is not delivered',
    ['A3'],
    ({ facts }) => Object.assign(byId(facts.deliveries, 'told-w'), { status: 'failed' }),
  ],
  ['a message tells of another run', ['A3'], ({ notified }) => Object.assign(notified[0] ?? {}, { runId: 'x' })],
  ['a message is not signed', ['A3'], ({ notified }) => Object.assign(notified[0] ?? {}, { isSigned: false })],
  [
    'messages are out of order',
    ['A3'],
    ({ notified }) => {
      const later = notified.find(({ deliveryId }) => deliveryId === 'told-skip-1');
      Object.assign(later ?? {}, { at: 10_000 });
    },
  ],
  ['a report is missing', ['A4'], ({ facts }) => without(facts.deliveries, 'slack-w')],
  ['a report has not arrived', ['A4'], ({ reports }) => reports.shift()],
  ['a report was refused to the end', ['A4'], ({ reports }) => Object.assign(reports[0] ?? {}, { isTaken: false })],
  [
    'a report was given up',
    ['A4'],
    ({ facts }) => Object.assign(byId(facts.deliveries, 'email-w'), { status: 'failed' }),
  ],
  [
    'a mail comes again under another id',
    ['A4'],
    ({ reports }) =>
      reports.push(...reports.slice(0, 1).map((report) => ({ ...report, messageId: '<x@example.org>' }))),
  ],
  ['work was given twice', ['A5'], ({ given }) => given.push('answer w')],
  ['work was given by nobody', ['A5'], ({ given }) => given.push('answer x')],
  ['work was not given', ['A5'], ({ given }) => given.pop()],
  ['work has two calls', ['A5'], ({ facts }) => facts.delegations.push({ ...byId(facts.delegations, 'k'), id: 'l' })],
  ['an answer is another', ['A5'], ({ facts }) => Object.assign(byId(facts.delegations, 'k'), { result: 'x' })],
  ['an answer is an error', ['A5'], ({ facts }) => Object.assign(byId(facts.delegations, 'k'), { status: 'error' })],
  ['reports are out of order', ['A4'], ({ reports }) => Object.assign(reports[0] ?? {}, { at: 10_000 })],
])('a breach is found when %s', (_what, promises, harm) => {
  const run = soundRun();
  harm(run);
  expect(breached(run)).toEqual(promises);
});
