import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import type { Database } from '../core/database.ts';
import { connectDatabase } from '../orm/connect.ts';
import { NotificationListener } from './notification-listener.ts';
import { readPublishedText } from './read-turn-events.ts';
import { ActiveStreams, TurnPublisher } from './turn-publisher.ts';
import { type AnnouncedEvent, EVENTS_CHANNEL, unpackPayload } from './wire.ts';

describe('turn publisher', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let listener: NotificationListener;
  const announced: AnnouncedEvent[] = [];

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = await connectDatabase({ url: testDatabase.url, poolSize: 2 });
    listener = await NotificationListener.start({
      url: database.url,
      channels: [EVENTS_CHANNEL],
      onNotification: (_channel, payload) => void announced.push(...unpackPayload(payload)),
      onReconnect: () => undefined,
    });
  });
  afterAll(async () => {
    await listener.close();
    await database.close();
    await testDatabase.drop();
  });

  type Turn = ReturnType<typeof newTurn>;

  function newTurn() {
    return { orgId: uuidv7(), chatId: uuidv7(), id: uuidv7(), seq: 1, afterSeq: 0, attempt: 1, step: 0, baseLength: 0 };
  }

  const newStep = () =>
    ({ type: 'step_start', taskId: 'task', stepId: 'step', name: 'time_now', label: 'Time' }) as const;
  const toRecipient = ({ chatId, id, seq, afterSeq }: Turn) => ({ chatId, turnId: id, turnSeq: seq, afterSeq });

  /** Creates a turn with rows, at its first attempt. */
  async function storedTurn() {
    const chat = await ChatFixture.create(database);
    await chat.accept();
    const { turnId, turnSeq } = await chat.begin();
    const turn = { ...newTurn(), ...chat.ref, id: turnId, seq: turnSeq };
    return { turn, readText: async () => readPublishedText(database, turn.orgId, turn.id) };
  }

  async function storeStep({ orgId, id, step }: Turn, text: string): Promise<void> {
    await database.system.query('insert into model_steps (turn_id, step, org_id, text) values ($1, $2, $3, $4)', [
      id,
      step,
      orgId,
      text,
    ]);
  }

  async function say(publisher: TurnPublisher, turn: Turn, text: string): Promise<void> {
    publisher.open(turn).append(text);
    await publisher.drain();
  }

  const eventsOf = (turnId: string) => announced.filter((event) => event.turnId === turnId);
  const textOf = (turnId: string) =>
    eventsOf(turnId).reduce((text, { event }) => (event?.type === 'chunk' ? text + event.text : text), '');

  describe('TurnPublisher', () => {
    test('announces and stores all text of many turns, in order, and the end of each last', async () => {
      const publisher = new TurnPublisher(database, failOn);
      const turns = Array.from({ length: 20 }, newTurn);
      const streams = turns.map((turn) => publisher.open(turn));
      for (let word = 0; word < 50; word += 1) {
        for (const stream of streams) stream.append(`${word} `);
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (const stream of streams) stream.end();
      const whole = Array.from({ length: 50 }, (_, word) => `${word} `).join('');
      for (const { id, orgId } of turns) {
        await waitUntil('the end', () => eventsOf(id).find(({ event }) => event?.type === 'turn_end'));
        expect(textOf(id)).toBe(whole);
        expect(eventsOf(id).at(-1)?.event).toEqual({ type: 'turn_end' });
        expect(await readPublishedText(database, orgId, id)).toEqual({ attempt: 1, text: whole, stepCount: 0 });
      }
    });

    test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
      'forgets nothing that comes in the instant in which its loop ends (%i steps after the statement)',
      async (steps) => {
        const stored: unknown[] = [];
        let appendLater: (() => void) | undefined;
        // A pool that responds at once, and adds more text at a chosen later point.
        const query = async ({ values }: { values: unknown[] }) => {
          stored.push(...(values[4] as unknown[]));
          void afterSteps(steps, () => {
            appendLater?.();
            appendLater = undefined;
          });
        };
        const stream = new TurnPublisher({ ...database, stream: { query } as never }, failOn).open(newTurn());
        appendLater = () => stream.append('second');
        stream.append('first');
        await waitUntil('both texts', () => (stored.length === 2 ? true : undefined));
      },
    );

    test('announces a step to all its audience after the text that came before it, and before the end', async () => {
      const publisher = new TurnPublisher(database, failOn);
      const [turn, above] = [newTurn(), newTurn()];
      const stream = publisher.open(turn);
      stream.append('Let me see.');
      publisher.announce([toRecipient(turn), toRecipient(above)], newStep());
      stream.end();
      await waitUntil('the end', () => eventsOf(turn.id).find(({ event }) => event?.type === 'turn_end'));
      expect(eventsOf(turn.id).map(({ event }) => event?.type)).toEqual(['chunk', 'step_start', 'turn_end']);
      expect(eventsOf(above.id).map(({ chatId, event }) => [chatId, event])).toEqual([[above.chatId, newStep()]]);
      expect(await readPublishedText(database, turn.orgId, turn.id)).toMatchObject({ text: 'Let me see.' });
    });

    test('announces that a step is to be read, when it is too long for a notification', async () => {
      const publisher = new TurnPublisher(database, failOn);
      const turn = newTurn();
      publisher.announce([toRecipient(turn)], { ...newStep(), label: 'é'.repeat(5_000) });
      await publisher.drain();
      await waitUntil('the step', () => eventsOf(turn.id)[0]);
      expect(eventsOf(turn.id).map(({ event }) => event)).toEqual([null]);
    });

    test('keeps the last some thousand steps, in order, while the database is away', async () => {
      let isAway = true;
      const sent: AnnouncedEvent[] = [];
      const query = async ({ values }: { values: unknown[] }) => {
        if (isAway) throw new Error('away');
        sent.push(...(values[5] as string[]).flatMap(unpackPayload));
      };
      const publisher = new TurnPublisher({ ...database, stream: { query } as never }, () => undefined);
      const turn = newTurn();
      for (let index = 0; index < 5_000; index += 1) {
        publisher.announce([toRecipient(turn)], { ...newStep(), stepId: String(index) });
        // The first of them fail once.
        if (index === 10) await new Promise((resolve) => setImmediate(resolve));
      }
      isAway = false;
      await waitUntil('the last step', () => (sent.length >= 4_000 ? true : undefined));
      const ids = sent.map(({ event }) => (event?.type === 'step_start' ? Number(event.stepId) : Number.NaN));
      expect(ids).toEqual(Array.from({ length: 4_000 }, (_, index) => index + 1_000));
    });

    test('continues after the text of the steps before, and is read as one answer', async () => {
      const { turn, readText } = await storedTurn();
      const publisher = new TurnPublisher(database, failOn);
      await say(publisher, turn, 'Let me see.');
      expect(await readText()).toEqual({ attempt: 1, text: 'Let me see.', stepCount: 0 });
      await storeStep(turn, 'Let me see.');
      expect(await readText()).toEqual({ attempt: 1, text: 'Let me see.', stepCount: 1 });
      const next = { ...turn, step: 1, baseLength: 11 };
      await say(publisher, next, '\n\nIt is');
      await say(publisher, { ...next, attempt: 2 }, '\n\nIt is noon.');
      expect(await readText()).toEqual({ attempt: 2, text: 'Let me see.\n\nIt is noon.', stepCount: 1 });
      const first = await waitUntil('the text of the next step', () =>
        eventsOf(turn.id).find(({ seq }) => seq >= 1_000_000),
      );
      expect(first).toMatchObject({ seq: 1_000_000, event: { type: 'chunk', offset: 11 } });
    });

    test('leaves out what another attempt streamed of a step that is stored', async () => {
      const { turn, readText } = await storedTurn();
      await say(new TurnPublisher(database, failOn), turn, 'An attempt that was given up');
      await storeStep(turn, 'Stored.');
      expect(await readText()).toMatchObject({ text: 'Stored.' });
    });

    test('never cuts a character in two', async () => {
      const publisher = new TurnPublisher(database, failOn);
      const turn = newTurn();
      const stream = publisher.open(turn);
      for (const half of '😀😀😀'.split('')) {
        stream.append(half);
        await publisher.drain();
      }
      await waitUntil('all of it', () => (textOf(turn.id) === '😀😀😀' ? true : undefined));
      expect(eventsOf(turn.id).every(({ event }) => event?.type === 'chunk' && event.text.isWellFormed())).toBe(true);
    });
  });

  function failOn(error: unknown): void {
    throw error;
  }

  async function afterSteps(count: number, work: () => void): Promise<void> {
    for (let step = 0; step < count; step += 1) await Promise.resolve();
    work();
  }
});

describe('active streams', () => {
  const streams = (count: number) => Array.from({ length: count }, () => ({}));

  test('counts each stream once, however often it has text', () => {
    const active = new ActiveStreams();
    const [some, others] = [streams(3), streams(2)];
    for (let now = 0; now <= 5_000; now += 250) active.note([...some, ...(now % 500 === 0 ? others : [])], now);
    expect(active.count).toBe(5);
  });

  test.each([
    ['forgets the streams that have had no text for some seconds, while others have', [1_200, 1_900, 2_600, 3_300], 1],
    ['still counts the streams that had text a second ago', [600, 1_200], 4],
    ['forgets all streams after a long silence', [60_000], 1],
  ])('%s', (_what, times, count) => {
    const active = new ActiveStreams();
    const other = {};
    active.note(streams(3), 500);
    for (const now of times) active.note([other], now);
    expect(active.count).toBe(count);
  });
});
