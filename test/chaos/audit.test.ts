import { describe, expect, test } from '@jest/globals';
import { commands, effects } from '../../chaos/audit/effects.ts';
import { collectEvidence, type Evidence, type Span } from '../../chaos/audit/evidence.ts';
import { messagesKept, oneAnswer, tokens } from '../../chaos/audit/answers.ts';
import { views } from '../../chaos/audit/views.ts';
import type { Verdict } from '../../chaos/audit/facts.ts';
import { InFlight } from '../../chaos/load/in-flight.ts';
import { hashOf } from '../../chaos/installation/model-reply.ts';
import { ViewJournal } from '../../chaos/load/view-journal.ts';

const CHAT = { index: 0, id: 'chat', orgId: 'org', token: '', apiUrl: '' };
const [ROOT, CHILD] = ['question [[...]]', 'task [[...]]'];
const HOUR_MS = 3_600_000;

/** A turn with a sub-agent, a `once`, a `keyed` and a remembered effect, and a command, all as it should be. */
function soundRun() {
  const child = {
    content: CHILD,
    text: 'done',
    effects: [
      { token: 'fx-3', effect: 'memory' as const, key: null, isCut: false },
      { token: 'fx-4', effect: 'command' as const, key: null, isCut: false },
      { token: 'fx-5', effect: 'snippet' as const, key: null, isCut: false },
    ],
    callCount: 3,
    stepCount: 2,
    mayDiverge: false,
    mustFail: false,
    children: [],
  };
  const turn = {
    ...child,
    content: ROOT,
    text: 'the answer',
    effects: [
      { token: 'fx-1', effect: 'once' as const, key: null, isCut: false },
      { token: 'fx-2', effect: 'keyed' as const, key: 'key-fx-2', isCut: false },
    ],
    callCount: 3,
    children: [child],
  };
  const plan = { index: 0, kind: 'tree', chat: 0, messageId: 'm0', turn, isTogether: false, interrupt: undefined };
  const inFlight = new InFlight();
  inFlight.sent(0);
  inFlight.ended(0);
  const delivery = { method: 'POST', token: 'fx-1', key: null as string | null, bodyHash: 'b', at: 1 };
  return {
    plan,
    inFlight,
    turns: [
      storedTurn('root', null, ROOT, 'the answer', ['c1', 'c2', 'c4']),
      storedTurn('sub', 'root', CHILD, 'done', ['c3', 'c5', 'c6']),
    ],
    calls: [
      storedCall('c1', 'root', 'fx-1', 'once'),
      storedCall('c2', 'root', 'fx-2', 'keyed'),
      { ...storedCall('c4', 'root', 'fx-3', 'agent'), name: 'agent_spawn', taskId: 'sub' as string | null },
      storedCall('c3', 'sub', 'fx-3', 'keyed'),
      { ...storedCall('c5', 'sub', 'fx-4', 'once'), result: 'done fx-4' as string | null },
      { ...storedCall('c6', 'sub', 'fx-5', 'read'), result: 'done fx-5' as string | null },
    ],
    commandLines: ['fx-4'],
    workerLosses: [] as Span[],
    usage: ['root', 'root', 'sub', 'sub'].map((turnId, at) => ({
      turnId,
      step: at % 2,
      inputTokens: 10,
      outputTokens: 5,
      estimated: false,
    })),
    memories: ['remember fx-3'],
    deliveries: [delivery, { ...delivery, token: 'fx-2', key: 'key-fx-2' }],
    replies: [ROOT, ROOT, CHILD, CHILD].map((content, at) => ({
      contentHash: hashOf(content),
      step: at % 2,
      status: 200,
      isAborted: false,
      promptTokens: 10,
      chunks: 5,
      answer: null,
    })),
    frames: [
      { type: 'sub_agent_step_start', task_id: 'root', step_id: 'c1' },
      { type: 'sub_agent_step_start', task_id: 'root', step_id: 'c2' },
      { type: 'sub_agent_start', task_id: 'sub' },
      { type: 'sub_agent_step_done', task_id: 'root', step_id: 'c2' },
      { type: 'sub_agent_step_done', task_id: 'root', step_id: 'c1' },
      { type: 'sub_agent_done', task_id: 'sub' },
      { type: 'chunk', content: 'the ' },
      { type: 'chunk', content: 'answer' },
      { type: 'stream_end', content: 'the answer', metadata: { turn_id: 'root', status: 'completed' } },
    ] as { type: string; [field: string]: unknown }[],
    pongs: Array.from({ length: 6 }, () => Date.now() + HOUR_MS),
  };
}

type Run = ReturnType<typeof soundRun>;

function storedTurn(id: string, parentId: string | null, question: string, content: string, calls: string[]) {
  const details = calls.map((call) => ({ id: call, status: 'success' }));
  const usage = { input_tokens: 20, output_tokens: 10 };
  return {
    id,
    chatId: parentId === null ? 'chat' : 'sub-chat',
    orgId: 'org',
    status: 'completed',
    attempt: 1,
    parentId,
    ancestorIds: parentId === null ? [] : [parentId],
    wasAskedToStop: false,
    taskId: null,
    isReport: false,
    runId: null,
    createdAt: Date.now(),
    endedAt: Date.now() as number | null,
    questions: [{ content: question, messageId: parentId === null ? 'm0' : null }],
    answers: [{ content, metadata: { status: 'completed', tool_calls_detail: details, usage } }],
  };
}

function storedCall(id: string, turnId: string, token: string, effect: string) {
  const name = token === 'fx-3' ? 'memory_manage' : 'http_request';
  const args = `{"url": "http://ledger/${token}"}`;
  const times = { startedAt: 1_000, endedAt: 2_000 };
  const result = null as string | null;
  return {
    id,
    turnId,
    name,
    arguments: args,
    effect,
    status: 'success',
    attempt: 1,
    tries: 1,
    result,
    ...times,
    taskId: null as string | null,
  };
}

function evidenceOf({
  plan,
  inFlight,
  turns,
  calls,
  workerLosses,
  usage,
  memories,
  deliveries,
  replies,
  frames,
  pongs,
  commandLines,
}: Run): Evidence {
  // It was there long before and long after.
  const journal = Object.assign(new ViewJournal(), { openedAt: Date.now() - HOUR_MS, closedAt: Date.now() + HOUR_MS });
  for (const frame of frames) journal.take(frame);
  journal.pongs.push(...pongs);
  const viewers = [{ chat: CHAT, journals: [journal] }];
  const talk = {
    plans: [plan],
    chats: [CHAT],
    inFlight,
    viewers,
    streams: [],
    unanswered: [],
    tasks: [],
    addedTasks: new Map(),
  };
  const facts = { turns, taskTurns: [], runTurns: [], tasks: [], calls, usage, openTasks: [], memories };
  const commandSandbox = { isThere: true as const, languages: [] };
  return collectEvidence(facts, talk, { outside: { deliveries, replies }, workerLosses, commandSandbox, commandLines });
}

const AUDITS = [messagesKept, oneAnswer, effects, commands, views, tokens];

describe('the audit', () => {
  test.each(AUDITS)('finds nothing, when every promise was kept (%p)', (audit) => {
    expect(audit(evidenceOf(soundRun())).breaches).toEqual([]);
  });

  test.each<[string, (evidence: Evidence) => Verdict, (run: Run) => unknown, RegExp]>([
    [
      'a message was lost',
      messagesKept,
      (run) => (run.turns = run.turns.slice(1)),
      /m0 was acknowledged and is stored 0/,
    ],
    [
      'a message was stored twice',
      messagesKept,
      (run) => run.turns.push(run.turns[0] as Run['turns'][0]),
      /stored 2 times/,
    ],
    ['an answer is missing', oneAnswer, (run) => run.turns[0]?.answers.splice(0), /has 0 assistant messages/],
    [
      'an answer is there twice',
      oneAnswer,
      (run) => run.turns[0]?.answers.push({ content: 'x', metadata: answer(run).metadata }),
      /has 2/,
    ],
    [
      'an answer is doubled text',
      oneAnswer,
      (run) => (answer(run).content += ' answer'),
      /says "the answer answer", not/,
    ],
    ['a turn failed for no reason', oneAnswer, (run) => status(run, 'failed'), /failed/],
    ['a turn stopped unasked', oneAnswer, (run) => status(run, 'interrupted'), /nobody asked for that/],
    [
      'a once effect came twice',
      effects,
      (run) => run.deliveries.push({ ...delivered(run, 0), at: 2 }),
      /fx-1: happened 2 times/,
    ],
    ['a keyed effect lost its key', effects, (run) => (delivered(run, 1).key = null), /fx-2: came with the keys/],
    [
      'a keyed effect changed',
      effects,
      (run) => run.deliveries.push({ ...delivered(run, 1), bodyHash: 'c' }),
      /2 bodies/,
    ],
    ['an effect was claimed and not done', effects, (run) => run.deliveries.splice(0, 1), /nothing happened/],
    [
      'a call failed',
      effects,
      (run) => (called(run, 1).status = 'error'),
      /c2 ended with an error after 1 tries: no result/,
    ],
    [
      'a call was given up and had not lost its worker so often',
      effects,
      (run) => {
        giveUp(run);
        run.workerLosses.pop();
      },
      /c2 ended with an error after 4 tries: upstream: The call was started 3 times/,
    ],
    [
      'an effect was done and denied',
      effects,
      (run) => (called(run, 0).status = 'interrupted'),
      /says that it was interrupted/,
    ],
    ['something is remembered twice', effects, (run) => run.memories.push('remember fx-3'), /fx-3: happened 2 times/],
    ['a call is missing', effects, (run) => run.calls.splice(0, 1), /made 2 calls, not 3/],
    ['a message tells another story', effects, (run) => (called(run, 1).status = 'unknown'), /tells of other calls/],
    ['a command ran twice', commands, (run) => run.commandLines.push('fx-4'), /command fx-4: ran 2 times/],
    ['a command was told as done and did not run', commands, (run) => run.commandLines.splice(0), /nothing happened/],
    [
      'a command ran and was denied',
      commands,
      (run) => (called(run, 4).status = 'interrupted'),
      /c5 happened and says/,
    ],
    ['a snippet got the value of another', commands, (run) => (called(run, 5).result = 'done fx-50'), /told another/],
    ['a command was not stored', commands, (run) => run.calls.splice(4, 1), /fx-4: ran without a stored call/],
    [
      'a sub-agent was asked again',
      effects,
      (run) => run.turns.push({ ...(run.turns[1] as Run['turns'][0]), id: 'sub2' }),
      /2 sub-agents for 1/,
    ],
    [
      'a viewer saw text twice',
      views,
      (run) => run.frames.splice(7, 0, { type: 'chunk', content: 'the ' }),
      /the chunks say/,
    ],
    ['a viewer was told another end', views, (run) => (frame(run, 8)['content'] = 'x'), /told another answer/],
    ['a viewer was told the end twice', views, (run) => run.frames.push(frame(run, 8)), /told 2 times/],
    ['a viewer was not told the end', views, (run) => run.frames.splice(8), /was not told its end/],
    ['a step was not shown', views, (run) => run.frames.splice(0, 1), /done and did not begin/],
    ['a step has no end', views, (run) => run.frames.splice(3, 1), /began and were not done/],
    [
      'tokens were counted twice',
      tokens,
      (run) => run.usage.push({ ...(run.usage[0] as Run['usage'][0]), step: 2 }),
      /has 3 usage rows/,
    ],
    [
      'tokens were made up',
      tokens,
      (run) => ((run.replies[0] as { chunks: number }).chunks = 6),
      /the model gave 10\/6/,
    ],
  ])('finds it, when %s', (_what, audit, tamper, expected) => {
    const run = soundRun();
    tamper(run);
    expect(audit(evidenceOf(run)).breaches?.join('\n')).toMatch(expected);
  });

  test('expects nothing of an api that stood still from the end of a turn on until it was killed', () => {
    const run = soundRun();
    run.frames.splice(0);
    run.pongs.pop();
    expect(views(evidenceOf(run)).breaches).toEqual([]);
  });

  test('counts commands whose outcome is unknown, whether they ran or not', () => {
    const run = soundRun();
    called(run, 4).status = 'unknown';
    const figure = /of 1 calls 0 were told as done, 1 as unknown/;
    expect(commands(evidenceOf(run))).toMatchObject({ figure: expect.stringMatching(figure), breaches: [] });
    run.commandLines.pop();
    expect(commands(evidenceOf(run))).toMatchObject({ figure: expect.stringMatching(figure), breaches: [] });
  });

  test('lets a command end for want of space only where the disk of a worker was full', () => {
    const run = soundRun();
    const calls = run.calls.map((call) =>
      call.id === 'c5' ? { ...call, result: '{"ended":"The workspace was full; all its processes were ended"}' } : call,
    );
    const evidence = evidenceOf({ ...run, calls });
    expect(commands(evidence).breaches).toHaveLength(1);
    expect(commands({ ...evidence, hasFullDisk: true }).breaches).toEqual([]);
  });

  test('says of commands that it could not check them where nothing confines any', () => {
    const commandSandbox = { isThere: false as const, reason: 'bubblewrap is not installed' };
    const verdict = commands({ ...evidenceOf(soundRun()), commandSandbox });
    expect(verdict).toMatchObject({ figure: expect.stringContaining('bubblewrap is not'), breaches: undefined });
  });

  test('finds nothing in a call that was given up after it had lost its worker three times', () => {
    const run = soundRun();
    giveUp(run);
    const { breaches, figure } = effects(evidenceOf(run));
    expect(figure).toMatch(/1 given up after 3 lost workers/);
    expect(breaches).toEqual([]);
  });
});

function answer(run: Run) {
  return run.turns[0]?.answers[0] as Run['turns'][0]['answers'][0];
}

function status(run: Run, word: string): void {
  (run.turns[0] as Run['turns'][0]).status = word;
  answer(run).metadata.status = word;
}

function giveUp(run: Run): void {
  const result = 'upstream: The call was started 3 times without producing a result, so it is not run again.';
  Object.assign(called(run, 1), { status: 'error', tries: 4, result, startedAt: 1_000, endedAt: 5_000 });
  answer(run).metadata.tool_calls_detail[1] = { id: 'c2', status: 'error' };
  run.workerLosses.push({ from: 500, to: 1_100 }, { from: 2_000, to: 2_500 }, { from: 4_900, to: 5_600 });
}

function delivered(run: Run, at: number) {
  return run.deliveries[at] as Run['deliveries'][0];
}

function called(run: Run, at: number) {
  return run.calls[at] as Run['calls'][0];
}

function frame(run: Run, at: number) {
  return run.frames[at] as Run['frames'][0];
}
