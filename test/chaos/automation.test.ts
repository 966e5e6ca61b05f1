import { expect, test } from '@jest/globals';
import { type AutomationEvidence, automationVerdicts } from '../../chaos/audit/automation.ts';
import { hashOf } from '../../chaos/installation/model-reply.ts';
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

type Kind = 'email' | 'slack';

const notice = (kind: Kind) => ({ kind, status: 'delivered', error: null as string | null });

/** A question that its colleague has answered by mail, one that has expired, and a call that the owner has approved. */
function soundQuestions() {
  const planned = (name: string, fields: object) => ({
    index: 0,
    name,
    turn: turn(name),
    kind: 'question' as 'call' | 'question',
    asks: 'colleague' as 'colleague' | 'owner',
    way: 'all' as 'all' | 'never',
    approve: true,
    isRepeated: false,
    ...fields,
  });
  const plans = [
    planned('q1', {}),
    planned('q2', { way: 'never' }),
    planned('q3', { kind: 'call', asks: 'owner' }),
  ] as const;
  const [first, second, third] = plans;
  const approval = {
    id: 'a1',
    status: 'answered',
    answer: 'q1-mail' as string | null,
    decidedBy: 'bob' as string | null,
    expiresAt: FIRST_SLOT + MINUTE_MS,
    decidedAt: FIRST_SLOT as number | null,
    entries: [{ action: 'approvals.decide', fields: ['token'] }],
    notices: [notice('email'), notice('slack')],
  };
  const call = { id: 'c1', content: 'q1 please', status: 'success', continuations: 1, result: '{"answer":"q1-mail"}' };
  const expired = { ...approval, id: 'a2', status: 'expired', answer: 'q2-none', decidedBy: null };
  const expiry = {
    decidedAt: FIRST_SLOT + 2 * MINUTE_MS,
    entries: [{ action: 'approvals.expire', fields: ['answer'] }],
  };
  const approved = { ...approval, id: 'a3', status: 'approved', answer: null, decidedBy: 'ada' };
  const reply = { step: 1, status: 200, isAborted: false, promptTokens: 1, chunks: 1 };
  const sent = { name: 'q1', by: 'mail' as 'api' | 'mail', userId: 'bob', approve: true, status: 200 };
  const arrived = plans.flatMap(({ name, asks: who }) => {
    const arrival = { name, isTaken: true, isAnswered: true, at: FIRST_SLOT, token: 'x' };
    const [email, channel] = who === 'owner' ? ['ada@example.com', 'DU1'] : ['bob@example.com', 'DU2'];
    const message = { channel, ts: name, thread: undefined, texts: [], blocks: [] as Record<string, unknown>[] };
    return [
      {
        ...arrival,
        kind: 'email' as Kind,
        to: email,
        messageId: `<${name}@example.org>` as string | null,
        message: undefined,
      },
      { ...arrival, kind: 'slack' as Kind, to: channel, messageId: null as string | null, message },
    ];
  });
  return {
    plans,
    runs: new Map([
      [first, 'q1'],
      [second, 'q2'],
      [third, 'q3'],
    ]),
    asking: [
      { ...call, runId: 'q1', approvals: [approval] },
      {
        ...call,
        runId: 'q2',
        content: 'q2 please',
        result: '{"answer":"q2-none"}',
        approvals: [{ ...expired, ...expiry }],
      },
      { ...call, runId: 'q3', content: 'q3 please', result: 'noted', approvals: [approved] },
    ],
    answers: [
      { ...sent, answer: 'q1-mail' as string | null },
      { ...sent, by: 'api' as const, answer: 'q1-api', status: 409 },
      { ...sent, name: 'q3', userId: 'ada', answer: null },
    ],
    replies: ['q1-mail', 'q2-none'].map((answer, at) => {
      return { ...reply, contentHash: hashOf(`q${at + 1} please`), answer };
    }),
    effects: [{ method: 'POST', token: 'q3', key: null, bodyHash: 'b', at: FIRST_SLOT }],
    asks: arrived,
  };
}

/** A run with one accepted request, one approved review, questions, and two schedules with three slots each. */
function soundRun() {
  const questions = soundQuestions();
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
    ...['q1', 'q2', 'q3'].map((id) => ({
      ...run,
      id,
      workflowId: 'questions',
      output: id,
      questions: [`${id} please`],
    })),
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
    ...questions,
    healedAt: FIRST_SLOT,
    facts: {
      asking: questions.asking,
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
      plan: {
        calls: [call],
        reviews: [review],
        questions: questions.plans,
        schedules: [scheduled('allow_all'), scheduled('skip')],
      },
      automation: {
        apiUrl: '',
        orgId: '',
        token: '',
        callsId: 'calls',
        secret: '',
        reviewsId: 'reviews',
        questionsId: 'questions',
        channelId: '',
        people: {
          owner: { id: 'ada', email: 'ada@example.com', token: '', slackId: 'U1' },
          colleague: { id: 'bob', email: 'bob@example.com', token: '', slackId: 'U2' },
        },
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
      questions: questions.runs,
      answers: questions.answers,
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

test('a question that came after its deadline may be refused', () => {
  const run = soundRun();
  const [, call] = run.facts.asking;
  call?.approvals.pop();
  Object.assign(call ?? {}, { status: 'error', result: 'The deadline is in the past' });
  expect(breached(run)).toEqual([]);
});

test('a decision may be missing from the audit log where nobody was notified that it counts', () => {
  const run = soundRun();
  asked(run, 0).entries.pop();
  expect(breached(run)).toEqual([]);
});

test('what was decided before it could be sent is not sent', () => {
  const run = soundRun();
  run.asks.length = 0;
  for (const { approvals } of run.facts.asking)
    for (const each of approvals) each.notices = each.notices.map((sent) => ({ ...sent, error: 'Not sent' }));
  expect(breached(run)).toEqual([]);
});

test('a message in Slack of which nobody has heard keeps its buttons', () => {
  const run = soundRun();
  Object.assign(run.asks[1] ?? {}, { isAnswered: false });
  run.asks[1]?.message?.blocks.push({ elements: [{ text: { text: 'q1-api' } }] });
  expect(breached(run)).toEqual([]);
});

test('a slot that meets an open run may start none', () => {
  const run = soundRun();
  without(run.facts.runs, 'skip-1');
  Object.assign(byId(run.facts.runs, 'skip-0'), { completedAt: FIRST_SLOT + 1.2 * MINUTE_MS });
  for (const kind of ['told', 'email', 'slack']) without(run.facts.deliveries, `${kind}-skip-1`);
  expect(breached(run)).toEqual([]);
});

function asked(run: Run, at: number) {
  return run.facts.asking[at]?.approvals[0] as Run['facts']['asking'][0]['approvals'][0];
}

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
  ['a question was not started', ['A1', 'A6'], ({ work }) => work.questions.clear()],
  ['a question has no call', ['A6'], ({ facts }) => facts.asking.shift()],
  ['an agent asks twice', ['A6'], ({ facts }) => facts.asking.push(...facts.asking.slice(0, 1))],
  ['a question in time was refused', ['A6'], ({ facts }) => facts.asking[0]?.approvals.pop()],
  ['a question waits', ['A6'], (run) => Object.assign(asked(run, 0), { status: 'pending', decidedAt: null })],
  [
    'a question was answered after its deadline',
    ['A6'],
    (run) => (asked(run, 0).decidedAt = FIRST_SLOT + 2 * MINUTE_MS),
  ],
  ['a question was answered by somebody else', ['A6'], (run) => (asked(run, 0).decidedBy = 'ada')],
  ['an answer was sent by nobody', ['A6'], ({ answers }) => answers.shift()],
  ['another answer was taken', ['A6'], ({ answers }) => ((answers[1] as { status: number }).status = 200)],
  ['an expired question has another answer', ['A6'], (run) => (asked(run, 1).answer = 'q2-api')],
  ['a question expired too early', ['A6'], (run) => (asked(run, 1).decidedAt = FIRST_SLOT)],
  ['a question expired too late', ['A6'], (run) => (asked(run, 1).decidedAt = FIRST_SLOT + 4 * MINUTE_MS)],
  ['a question never expired', ['A6'], (run) => (asked(run, 1).status = 'pending')],
  ['a call that waits for days has expired', ['A6'], (run) => (asked(run, 2).status = 'expired')],
  ['an expiry is not in the audit log', ['A6'], (run) => asked(run, 1).entries.pop()],
  ['two decisions are in the audit log', ['A6'], (run) => asked(run, 0).entries.push(...asked(run, 2).entries)],
  ['a turn goes on twice', ['A6'], ({ facts }) => Object.assign(facts.asking[0] ?? {}, { continuations: 2 })],
  ['a turn does not go on', ['A6'], ({ facts }) => Object.assign(facts.asking[0] ?? {}, { continuations: 0 })],
  ['a call has another answer', ['A6'], ({ facts }) => Object.assign(facts.asking[0] ?? {}, { result: '{}' })],
  ['the model was told another answer', ['A6'], ({ replies }) => Object.assign(replies[0] ?? {}, { answer: 'q1-api' })],
  ['the model was not told', ['A6'], ({ replies }) => replies.shift()],
  ['an approved call was made twice', ['A6'], ({ effects }) => effects.push(...effects)],
  ['an approved call was not made', ['A6'], ({ effects }) => effects.pop()],
  ['a denied call was made', ['A6'], (run) => (asked(run, 2).status = 'denied')],
  ['somebody else is mailed', ['A6'], ({ asks }) => Object.assign(asks[0] ?? {}, { to: 'ada@example.com' })],
  ['somebody else is asked in Slack', ['A6'], ({ asks }) => Object.assign(asks[1] ?? {}, { to: 'DU1' })],
  ['a mail of a question has not arrived', ['A6'], ({ asks }) => asks.shift()],
  [
    'a mail of a question is to be sent still',
    ['A6'],
    (run) => (asked(run, 0).notices = [{ ...notice('email'), status: 'pending' }]),
  ],
  [
    'a mail of a question comes again under another id',
    ['A6'],
    ({ asks }) => asks.push(Object.assign({}, asks[0], { messageId: '<x@example.org>' })),
  ],
  [
    'a message in Slack has buttons still',
    ['A6'],
    ({ asks }) => asks[1]?.message?.blocks.push({ elements: [{ text: { text: 'q1-api' } }] }),
  ],
  ['reports are out of order', ['A4'], ({ reports }) => Object.assign(reports[0] ?? {}, { at: 10_000 })],
])('a breach is found when %s', (_what, promises, harm) => {
  const run = soundRun();
  harm(run);
  expect(breached(run)).toEqual(promises);
});
