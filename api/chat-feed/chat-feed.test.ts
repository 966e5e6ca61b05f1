import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connectDatabase, type Database } from '../../db/core/index.ts';
import type { AnnouncedEvent } from '../../db/stream/index.ts';
import { acceptMessage, claimTurn, type EndedTurn, endedTurnsAfter, finishTurn } from '../../db/turns/index.ts';
import { Random } from '../../test/support/random.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import type { CursorPosition, Viewer } from '../core/chat-watch.ts';
import { ChatFeed, type Doubt } from './chat-feed.ts';

const ROUNDS = 40;

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ url: testDatabase.url, poolSize: 2 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** The part of a worker: it stores turns and their events, and answers what it would announce. */
class PlayedChat {
  readonly place = { orgId: randomUUID(), chatId: randomUUID() };
  readonly userId = randomUUID();
  readonly agentId = randomUUID();

  async create(): Promise<this> {
    const { orgId, chatId } = this.place;
    const { system } = database;
    await system.query('insert into users (id, email) values ($1, $2)', [this.userId, this.userId]);
    await system.query("insert into orgs (id, name) values ($1, 'o')", [orgId]);
    await system.query(
      `insert into agents (id, org_id, name, agent_type, temperature, max_tokens, max_subagents, max_concurrency)
       values ($1, $2, 'a', 'general', 0, 1, 1, 1)`,
      [this.agentId, orgId],
    );
    await system.query("insert into chats (id, org_id, user_id, agent_id, title) values ($1, $2, $3, $4, 't')", [
      chatId,
      orgId,
      this.userId,
      this.agentId,
    ]);
    return this;
  }

  async accept(): Promise<void> {
    const { orgId, chatId } = this.place;
    const owner = { orgId, userId: this.userId };
    await acceptMessage(database, owner, { chatId, content: 'x', clientMessageId: undefined });
  }

  async begin(): Promise<PlayedAttempt> {
    const turn = await claimTurn(database, this.place);
    if (turn === undefined) throw new Error('no turn is open');
    return new PlayedAttempt(this, turn);
  }
}

/** One attempt at a turn. */
class PlayedAttempt {
  readonly turnId: string;
  text = '';
  readonly #chat: PlayedChat;
  readonly #seq: number;
  readonly #attempt: number;
  #nextSeq = 0;

  constructor(chat: PlayedChat, { id, seq, attempt }: { id: string; seq: number; attempt: number }) {
    this.#chat = chat;
    this.turnId = id;
    this.#seq = seq;
    this.#attempt = attempt;
  }

  async say(text: string): Promise<AnnouncedEvent> {
    const announced = this.#announce({ type: 'chunk', offset: this.text.length, text });
    this.text += text;
    await database.stream.query(
      'insert into turn_events (turn_id, attempt, seq, org_id, event) values ($1, $2, $3, $4, $5)',
      [this.turnId, this.#attempt, announced.seq, this.#chat.place.orgId, JSON.stringify(announced.event)],
    );
    return announced;
  }

  async end(): Promise<AnnouncedEvent> {
    const { place, agentId } = this.#chat;
    const outcome = {
      status: 'completed' as const,
      content: this.text,
      metadata: {},
      providerUsed: null,
      usage: undefined,
    };
    await finishTurn(database, { ...place, ...outcome, turnId: this.turnId, attempt: this.#attempt, agentId });
    return this.#announce({ type: 'turn_end' });
  }

  #announce(event: AnnouncedEvent['event']): AnnouncedEvent {
    const { chatId } = this.#chat.place;
    const seq = this.#nextSeq;
    this.#nextSeq += 1;
    return { chatId, turnId: this.turnId, turnSeq: this.#seq, attempt: this.#attempt, seq, event };
  }
}

/** Notes what it is shown; refuses text of a turn that has ended. */
class NotingViewer implements Viewer {
  readonly texts = new Map<string, string>();
  readonly ended: EndedTurn[] = [];
  readonly log: string[] = [];

  onChunk(text: string, { turnId }: CursorPosition): void {
    if (this.ended.some(({ id }) => id === turnId)) throw new Error(`text of a turn after its end: ${this.log.join()}`);
    this.texts.set(turnId, (this.texts.get(turnId) ?? '') + text);
    this.log.push(`chunk ${turnId}`);
  }

  onEnd(turn: EndedTurn): void {
    this.ended.push(turn);
    this.log.push(`end ${turn.id}`);
  }
}

/** A feed that is asked about its doubts when the test wants it. */
class DrivenFeed {
  readonly feed: ChatFeed;
  readonly doubts = new Set<Doubt>();

  constructor(chat: PlayedChat) {
    this.feed = new ChatFeed(database, chat.place);
  }

  receive(event: AnnouncedEvent): void {
    for (const doubt of this.feed.receive(event)) this.doubts.add(doubt);
  }

  async tellEnded(): Promise<void> {
    this.doubts.delete('ended turns');
    this.feed.tellEnded(await endedTurnsAfter(database, [this.feed.progressQuery]));
  }

  async reloadText(): Promise<void> {
    this.doubts.delete('text');
    for (const doubt of await this.feed.reloadText()) this.doubts.add(doubt);
  }

  /** Settles everything, as the poll does in the end. */
  async settle(): Promise<void> {
    this.doubts.add('ended turns');
    while (this.doubts.size > 0) {
      if (this.doubts.has('ended turns')) await this.tellEnded();
      if (this.doubts.has('text')) await this.reloadText();
    }
  }
}

async function open(): Promise<{ chat: PlayedChat; driven: DrivenFeed; viewer: NotingViewer }> {
  const chat = await new PlayedChat().create();
  const driven = new DrivenFeed(chat);
  await driven.feed.load();
  const viewer = new NotingViewer();
  driven.feed.watch(viewer);
  return { chat, driven, viewer };
}

describe('a feed', () => {
  test('shows each viewer every turn whole, once and in order, when notifications come late, twice or not at all', async () => {
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      const viewers = await playRandomly(new Random(seed));
      for (const viewer of viewers) {
        const shown = viewer.ended.map(({ id }) => viewer.texts.get(id) ?? '');
        expect([seed, shown]).toEqual([seed, viewer.ended.map(({ answer }) => answer.content)]);
        expect([seed, viewer.log]).toEqual([seed, viewer.ended.flatMap(({ id }) => entriesOf(viewer, id))]);
        expect([seed, viewer.ended.map(({ seq }) => seq)]).toEqual([
          seed,
          viewer.ended.map(({ seq }) => seq).toSorted((a, b) => a - b),
        ]);
      }
      expect([seed, viewers[0]?.ended.length]).toEqual([seed, TURNS]);
    }
  }, 120_000);

  test('shows nothing of a turn before the end of the one before, when both happened unnoticed', async () => {
    const { chat, driven, viewer } = await open();
    await chat.accept();
    await chat.accept();
    const first = await chat.begin();
    driven.receive(await first.say('one'));
    await first.end();
    const second = await chat.begin();
    await second.say('two');
    await driven.reloadText();
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

  test('shows no character twice, when the text of a turn overtakes the announced end of a silent one', async () => {
    const { chat, driven, viewer } = await open();
    await chat.accept();
    await chat.accept();
    const silent = await chat.begin();
    const late = await silent.end();
    const second = await chat.begin();
    driven.receive(await second.say('two'));
    driven.receive(late);
    await driven.tellEnded();
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
    driven.feed.suspend();
    driven.receive(await turn.say('one'));
    expect(viewer.log).toEqual([]);
    await driven.reloadText();
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
});

const TURNS = 3;

function entriesOf({ log }: NotingViewer, turnId: string): string[] {
  return log.filter((entry) => entry.endsWith(turnId));
}

/** Plays some turns to a feed; of what is announced, much goes wrong. The first viewer is there from the start. */
async function playRandomly(random: Random): Promise<NotingViewer[]> {
  const { chat, driven, viewer } = await open();
  const viewers = [viewer];
  const underway: AnnouncedEvent[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) await chat.accept();
  for (let turn = 0; turn < TURNS; turn += 1) {
    const answer = random.text(25);
    for (let attempts = 1 + random.below(2); attempts > 0; attempts -= 1) {
      const attempt = await chat.begin();
      const stopAt = attempts > 1 ? random.below(answer.length + 1) : answer.length;
      for (const piece of piecesOf(random, answer, stopAt)) {
        underway.push(await attempt.say(piece));
        await disturb(random, driven, underway);
        if (random.chance(0.1)) viewers.push(joining(driven));
      }
      if (attempts === 1) underway.push(await attempt.end());
      await disturb(random, driven, underway);
    }
  }
  await driven.settle();
  return viewers;
}

function joining({ feed }: DrivenFeed): NotingViewer {
  const viewer = new NotingViewer();
  feed.watch(viewer);
  return viewer;
}

/** Cuts text into pieces between characters, up to about `stopAt`. */
function piecesOf(random: Random, text: string, stopAt: number): string[] {
  const pieces: string[] = [];
  let current = '';
  let length = 0;
  for (const character of text) {
    if (length >= stopAt) break;
    current += character;
    length += character.length;
    if (random.chance(0.3)) {
      pieces.push(current);
      current = '';
    }
  }
  return current === '' ? pieces : [...pieces, current];
}

/** Delivers some of what is under way, some of it twice; loses some when the connection breaks; settles some doubts. */
async function disturb(random: Random, driven: DrivenFeed, underway: AnnouncedEvent[]): Promise<void> {
  deliver(random, driven, underway);
  if (random.chance(0.1)) {
    underway.splice(0, random.below(underway.length + 1));
    driven.feed.suspend();
    for (const doubt of ['ended turns', 'text'] as const) driven.doubts.add(doubt);
  }
  if (driven.doubts.has('ended turns') && random.chance(0.4)) await driven.tellEnded();
  if (driven.doubts.has('text') && random.chance(0.4)) await driven.reloadText();
}

function deliver(random: Random, driven: DrivenFeed, underway: AnnouncedEvent[]): void {
  let count = 0;
  while (count < underway.length && random.chance(0.7)) count += 1;
  const delivered = underway.splice(0, count);
  for (const event of delivered) {
    // A chunk that is too long for a notification comes without its text.
    const isLong = event.event?.type === 'chunk' && random.chance(0.2);
    driven.receive(isLong ? { ...event, event: null } : event);
  }
  for (const event of delivered.filter(() => random.chance(0.1))) driven.receive(event);
}
