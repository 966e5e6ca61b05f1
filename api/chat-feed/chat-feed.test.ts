import { describe, expect, test } from '@jest/globals';
import type { AnnouncedEvent } from '../../db/stream/wire.ts';
import { endedTurnsAfter } from '../../db/turns/progress/chat-progress.ts';
import { readTurnSteps } from '../../db/turns/progress/turn-steps.ts';
import type { StepStart } from '../../domain/events.ts';
import { joinAnswer } from '../../domain/turns.ts';
import { RecordingViewer } from '../../test/support/recording-viewer.ts';
import type { CallFixture } from '../../test/support/call-fixture.ts';
import { ChatFixture, type StepFixture } from '../../test/support/chat-fixture.ts';
import { inLength } from '../../test/support/in-length.ts';
import { Random } from '../../test/support/random.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { ChatFeed, type StalePart } from './chat-feed.ts';

const ROUNDS = inLength(12, 40);

const database = serveTestDatabase({ poolSize: 2 });

/** A feed that resyncs when the test says so. */
class DrivenFeed {
  readonly feed: ChatFeed;
  readonly stale = new Set<StalePart>();

  constructor(chat: ChatFixture) {
    this.feed = new ChatFeed(database, chat.ref);
  }

  receive(event: AnnouncedEvent): void {
    for (const stale of this.feed.receive(event)) this.stale.add(stale);
  }

  /** Does what the feeds do when the listening connection is back. */
  reconnect(): void {
    this.feed.suspend();
    for (const stale of ['ended turns', 'text'] as const) this.stale.add(stale);
  }

  async reportEnded(): Promise<void> {
    this.stale.delete('ended turns');
    const { turns } = await endedTurnsAfter(database, [this.feed.progressQuery]);
    this.feed.reportEnded(turns, await readTurnSteps(database, this.feed.turnsWithSteps(turns)));
  }

  /** Reads stale text and steps; `between` runs after the steps have been read. */
  async reload(between: () => void = () => undefined): Promise<void> {
    const { currentTurnId } = this.feed;
    const isTextStale = this.stale.delete('text');
    const areStepsStale = this.stale.delete('steps');
    const asked = areStepsStale && currentTurnId !== undefined ? [currentTurnId] : [];
    const steps = await readTurnSteps(database, asked);
    between();
    if (!isTextStale && !(areStepsStale && this.feed.needsSteps(steps))) return;
    for (const stale of await this.feed.reload(steps)) this.stale.add(stale);
  }

  /** Resyncs everything, as the poll eventually does. */
  async settle(): Promise<void> {
    this.stale.add('ended turns');
    while (this.stale.size > 0) {
      if (this.stale.has('ended turns')) await this.reportEnded();
      await this.reload();
    }
  }
}

async function open(): Promise<{ chat: ChatFixture; driven: DrivenFeed; viewer: RecordingViewer }> {
  const chat = await ChatFixture.create(database);
  const driven = new DrivenFeed(chat);
  await driven.feed.load();
  const viewer = new RecordingViewer();
  driven.feed.subscribe(viewer);
  return { chat, driven, viewer };
}

describe('a feed', () => {
  test('shows each viewer every turn whole, once and in order, when notifications come late, twice or not at all', async () => {
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      const { viewers, begun } = await playRandomly(new Random(seed));
      for (const viewer of viewers) {
        const shown = viewer.ended.map(({ id }) => viewer.texts.get(id) ?? '');
        expect([seed, shown]).toEqual([seed, viewer.ended.map(({ answer }) => answer.content)]);
        expect([seed, viewer.log]).toEqual([seed, viewer.ended.flatMap(({ id }) => entriesOf(viewer, id))]);
        expect([seed, viewer.ended.map(({ seq }) => seq)]).toEqual([
          seed,
          viewer.ended.map(({ seq }) => seq).toSorted((a, b) => a - b),
        ]);
        expectStepsInOrder(seed, viewer, begun);
      }
      expect([seed, viewers[0]?.ended.length]).toEqual([seed, TURNS]);
      const seen = new Set(viewers[0]?.steps.map(({ step }) => step.stepId));
      expect([seed, seen.size]).toEqual([seed, begun.length]);
    }
  });

  test('shows nothing of a turn before the end of the one before, when both happened unnoticed', async () => {
    const { chat, driven, viewer } = await open();
    await chat.accept();
    await chat.accept();
    const first = await chat.begin();
    driven.receive(await first.say('one'));
    await first.end();
    const second = await chat.begin();
    await second.say('two');
    driven.reconnect();
    await driven.reload();
    expect(viewer.log).toEqual([`chunk ${first.turnId}`]);
    await driven.settle();
    expect(viewer.log).toEqual([`chunk ${first.turnId}`, `end ${first.turnId}`, `chunk ${second.turnId}`]);
  });

  test('shows nothing of a turn before the end of a silent one, when that end is announced but not read yet', async () => {
    const { chat, driven, viewer } = await open();
    await chat.accept();
    await chat.accept();
    const silent = await chat.begin();
    driven.receive(await silent.end());
    const second = await chat.begin();
    driven.receive(await second.say('two'));
    expect(viewer.log).toEqual([]);
    await driven.settle();
    expect(viewer.log).toEqual([`end ${silent.turnId}`, `chunk ${second.turnId}`]);
  });

  test.each([
    ['step', async (step: StepFixture) => (await (await step.storeTool()).begin()).announced],
    ['text', async (step: StepFixture) => step.say('two')],
  ])('shows no %s of a turn before the text and end of one that it heard nothing of', async (_what, announce) => {
    const { chat, driven, viewer } = await open();
    await chat.accept();
    await chat.accept();
    const unheard = await chat.begin();
    await unheard.say('one');
    await unheard.end();
    const second = await chat.begin();
    driven.receive(await announce(second));
    expect(viewer.log).toEqual([]);
    await driven.settle();
    expect(viewer.log.slice(0, 2)).toEqual([`chunk ${unheard.turnId}`, `end ${unheard.turnId}`]);
    expect(viewer.texts.get(unheard.turnId)).toBe('one');
    expect(viewer.log.length).toBeGreaterThan(2);
  });

  test('shows no character twice, when the text of a turn overtakes the announced end of a silent one', async () => {
    const { chat, driven, viewer } = await open();
    await chat.accept();
    await chat.accept();
    const silent = await chat.begin();
    const late = await silent.end();
    const second = await chat.begin();
    driven.receive(await second.say('two'));
    driven.receive(late);
    await driven.reportEnded();
    driven.receive(await second.say(' three'));
    driven.receive(await second.end());
    await driven.settle();
    expect(viewer.texts.get(second.turnId)).toBe('two three');
    expect(viewer.ended.map(({ id }) => id)).toEqual([silent.turnId, second.turnId]);
  });

  test('lets events wait while it is suspended, and shows what they said when the text is read', async () => {
    const { chat, driven, viewer } = await open();
    await chat.accept();
    const turn = await chat.begin();
    driven.reconnect();
    driven.receive(await turn.say('one'));
    expect(viewer.log).toEqual([]);
    await driven.reload();
    expect(viewer.texts.get(turn.turnId)).toBe('one');
  });

  test('shows no mixture, when a later attempt says something else', async () => {
    const { chat, driven, viewer } = await open();
    await chat.accept();
    const first = await chat.begin();
    driven.receive(await first.say('The answer is'));
    const second = await chat.begin();
    driven.receive(await second.say('My answer is 42.'));
    driven.receive(await second.end());
    await driven.settle();
    expect(viewer.texts.get(first.turnId)).toBe('The answer is');
    expect(viewer.ended[0]?.answer.content).toBe('My answer is 42.');
  });

  test('ignores an attempt that was given up, when a later one has begun', async () => {
    const { chat, driven, viewer } = await open();
    await chat.accept();
    const first = await chat.begin();
    const late = await first.say('old');
    const second = await chat.begin();
    driven.receive(await second.say('new'));
    driven.receive(late);
    await driven.settle();
    expect(viewer.texts.get(first.turnId)).toBe('new');
  });

  test('shows one who comes later the text so far and the steps under way, and then the ends of these', async () => {
    const { chat, driven } = await open();
    await chat.accept();
    const step = await chat.begin();
    await step.say('Let me see.');
    const [tool, agent] = [step.planTool(), step.planAgent()];
    await step.store();
    const { announced: late } = await tool.begin();
    await tool.end();
    const { start, below } = await agent.begin();
    const inner = await below.storeTool();
    const { start: innerStart } = await inner.begin();
    const other = new DrivenFeed(chat);
    await other.feed.load();
    const viewer = joining(other);
    expect(viewer.texts.get(step.turnId)).toBe('Let me see.');
    expect(viewer.steps.map((shown) => shown.step)).toEqual([start, innerStart]);
    other.receive(late);
    other.receive(await inner.end('error'));
    other.receive(await agent.end());
    expect(viewer.steps.slice(2).map((shown) => shown.step)).toEqual([
      { type: 'step_done', taskId: below.turnId, stepId: inner.id, status: 'error' },
      {
        type: 'sub_agent_done',
        taskId: below.turnId,
        stepId: agent.id,
        agentName: 'Ada',
        status: 'success',
        output: 'found',
        usage: { inputTokens: 21, outputTokens: 2 },
      },
    ]);
    expect(driven.stale.size).toBe(0);
  });

  test('shows what the rows say, when the output of a sub-agent is too long for a notification', async () => {
    const { chat, driven, viewer } = await open();
    await chat.accept();
    const step = await chat.begin();
    const agent = step.planAgent();
    await step.store();
    driven.receive((await agent.begin()).announced);
    driven.receive({ ...(await agent.end('long '.repeat(4_000))), event: null });
    await driven.settle();
    const last = viewer.steps.at(-1)?.step;
    expect(last).toMatchObject({ type: 'sub_agent_done', output: 'long '.repeat(4_000) });
    expect(last).toMatchObject({ usage: { inputTokens: 21, outputTokens: 2 } });
  });

  test('shows no step before the text that came before it, when that text was too long for a notification', async () => {
    const { chat, driven, viewer } = await open();
    await chat.accept();
    const step = await chat.begin();
    driven.receive({ ...(await step.say('long')), event: null });
    const { announced } = await (await step.storeTool()).begin();
    driven.receive(announced);
    expect(viewer.log).toEqual([]);
    await driven.settle();
    expect(viewer.log).toEqual([`chunk ${step.turnId}`, `step ${step.turnId}`]);
  });

  test('shows an end for each step that was shown, when the turn ends and the rows do not show it', async () => {
    const { chat, driven, viewer } = await open();
    await chat.accept();
    const step = await chat.begin();
    const { start, announced } = await (await step.storeTool()).begin();
    driven.receive(announced);
    await database.system.query('delete from tool_calls where id = $1', [start.stepId]);
    driven.receive(await (await chat.begin([''])).end(1));
    await driven.settle();
    expect(viewer.steps.map((shown) => shown.step)).toEqual([
      start,
      { type: 'step_done', taskId: step.turnId, stepId: start.stepId, status: 'unknown' },
    ]);
  });

  test('reads again, when more events came than are buffered while it reads', async () => {
    const { chat, driven, viewer } = await open();
    await chat.accept();
    const step = await chat.begin();
    driven.reconnect();
    driven.stale.clear();
    for (let chunk = 0; chunk < 1_001; chunk += 1) driven.receive(await step.say('x'));
    const { announced, start } = await (await step.storeTool()).begin();
    driven.receive(announced);
    driven.stale.add('text');
    await driven.settle();
    expect(viewer.steps.map((shown) => shown.step)).toEqual([start]);
    expect(viewer.texts.get(step.turnId)).toBe('x'.repeat(1_001));
  });
});

/** Expects each step to start before it ends, after the text and after the sub-agent that came before it. */
function expectStepsInOrder(seed: number, viewer: RecordingViewer, begun: Fixture['begun']): void {
  const indexes = new Map(viewer.steps.map(({ step }, index) => [step.type + step.taskId, index]));
  for (const { start, textBefore } of begun) {
    const types = viewer.typesOf(start.stepId);
    if (types.length === 0) continue;
    const isAgent = start.type === 'sub_agent_start';
    const expected = isAgent ? ['sub_agent_start', 'sub_agent_done'] : ['step_start', 'step_done'];
    expect([seed, types]).toEqual([seed, expected]);
    const index = viewer.steps.findIndex(({ step }) => step.stepId === start.stepId);
    expect([seed, viewer.steps[index]?.textBefore.startsWith(textBefore)]).toEqual([seed, true]);
    const parentIndex = indexes.get(`sub_agent_start${isAgent ? start.parentId : start.taskId}`) ?? -1;
    expect([seed, index > parentIndex]).toEqual([seed, true]);
  }
}

const TURNS = 3;

function entriesOf({ log }: RecordingViewer, turnId: string): string[] {
  return log.filter((entry) => entry.endsWith(turnId));
}

/** The expected events, beside the turns that the viewers report. */
interface Fixture {
  readonly viewers: RecordingViewer[];
  /** All steps of the turns, each with the text of its turn before it. */
  readonly begun: { readonly start: StepStart; readonly textBefore: string }[];
}

interface Play extends Fixture {
  readonly random: Random;
  readonly chat: ChatFixture;
  readonly driven: DrivenFeed;
  readonly underway: AnnouncedEvent[];
}

/** Plays some turns to a feed while many announcements go wrong. The first viewer is there from the start. */
async function playRandomly(random: Random): Promise<Fixture> {
  const { chat, driven, viewer } = await open();
  const play: Play = { random, chat, driven, viewers: [viewer], underway: [], begun: [] };
  for (let turn = 0; turn < TURNS; turn += 1) await chat.accept();
  for (let turn = 0; turn < TURNS; turn += 1) {
    let texts: readonly string[] = [];
    let callCount = 0;
    for (let left = random.below(3); left >= 0; left -= 1) {
      const step = await playStep(play, texts);
      texts = step.texts;
      if (left === 0) play.underway.push(await step.end(callCount));
      else callCount += await playCalls(play, step);
      await disturb(play);
    }
  }
  await driven.settle();
  return play;
}

async function playStep(play: Play, before: readonly string[]): Promise<StepFixture> {
  const { random, chat } = play;
  const answer = random.text(25);
  for (let attempts = 1 + random.below(2); ; attempts -= 1) {
    const attempt = await chat.begin(before);
    const stopAt = attempts > 1 ? random.below(answer.length + 1) : answer.length;
    for (const chunk of chunksOf(random, answer, stopAt)) {
      play.underway.push(await attempt.say(chunk));
      await disturb(play);
    }
    if (attempts === 1) return attempt;
  }
}

/**
 * Plays tools and sub-agents that run side by side, and tools of the sub-agents. Returns how many the turn itself
 * began.
 */
async function playCalls(play: Play, step: StepFixture): Promise<number> {
  const { random } = play;
  const textBefore = joinAnswer(step.texts);
  const open: (() => Promise<AnnouncedEvent>)[] = [];
  const plan = (caller: StepFixture): CallFixture => (random.chance(0.4) ? caller.planAgent() : caller.planTool());
  const calls = Array.from({ length: 1 + random.below(3) }, () => plan(step));
  await step.store();
  const begin = async (call: CallFixture, depth: number): Promise<void> => {
    const begun = await call.begin();
    play.begun.push({ start: begun.start, textBefore });
    announce(play, begun.announced);
    open.push(async () => call.end());
    if (begun.below === undefined || depth === 2) return;
    await disturb(play);
    const inner = plan(begun.below);
    await begun.below.store();
    await begin(inner, depth + 1);
  };
  for (const call of calls) {
    await begin(call, 0);
    await disturb(play);
  }
  for (const end of random.shuffle(open)) {
    announce(play, await end());
    await disturb(play);
  }
  return calls.length;
}

// Some workers die between storing and announcing.
function announce({ random, underway }: Play, event: AnnouncedEvent): void {
  if (!random.chance(0.1)) underway.push(event);
}

function joining({ feed }: DrivenFeed): RecordingViewer {
  const viewer = new RecordingViewer();
  feed.subscribe(viewer);
  return viewer;
}

/** Cuts text into chunks between characters, up to about `stopAt`. */
function chunksOf(random: Random, text: string, stopAt: number): string[] {
  const chunks: string[] = [];
  let current = '';
  let length = 0;
  for (const character of text) {
    if (length >= stopAt) break;
    current += character;
    length += character.length;
    if (random.chance(0.3)) {
      chunks.push(current);
      current = '';
    }
  }
  return current === '' ? chunks : [...chunks, current];
}

/** Delivers some pending events, some of them twice; loses some when the connection breaks; resyncs sometimes. */
async function disturb({ random, driven, underway, viewers }: Play): Promise<void> {
  deliver(random, driven, underway);
  if (random.chance(0.1)) viewers.push(joining(driven));
  if (random.chance(0.1)) {
    underway.splice(0, random.below(underway.length + 1));
    driven.reconnect();
  }
  if (random.chance(0.1) && driven.feed.hasOpenSteps) driven.stale.add('steps');
  if (driven.stale.has('ended turns') && random.chance(0.4)) await driven.reportEnded();
  if (random.chance(0.4)) await driven.reload(() => deliver(random, driven, underway));
}

function deliver(random: Random, driven: DrivenFeed, underway: AnnouncedEvent[]): void {
  let count = 0;
  while (count < underway.length && random.chance(0.7)) count += 1;
  const delivered = underway.splice(0, count);
  for (const event of delivered) {
    // An event that is too long for a notification comes without its content.
    const isLong = event.event?.type !== 'turn_end' && random.chance(0.2);
    driven.receive(isLong ? { ...event, event: null } : event);
  }
  for (const event of delivered.filter(() => random.chance(0.1))) driven.receive(event);
}
