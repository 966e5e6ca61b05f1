import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { connectDatabase, type Database } from '../core/index.ts';
import { NotificationListener } from './notification-listener.ts';
import { readPublishedText } from './read-turn-events.ts';
import { TurnPublisher } from './turn-publisher.ts';
import { type AnnouncedEvent, EVENTS_CHANNEL, unpackPayload } from './wire.ts';

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
}, 60_000);
afterAll(async () => {
  await listener.close();
  await database.close();
  await testDatabase.drop();
});

function newTurn() {
  return { orgId: uuidv7(), chatId: uuidv7(), id: uuidv7(), seq: 1, attempt: 1 };
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
      expect(await readPublishedText(database, orgId, id)).toEqual({ attempt: 1, text: whole });
    }
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'forgets nothing that comes in the instant in which its loop ends (%i steps after the statement)',
    async (steps) => {
      const stored: unknown[] = [];
      let appendLater: (() => void) | undefined;
      // A pool that answers at once and then lets more text come at a chosen step of what follows.
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
      await waitUntil('both texts', () => (stored.length === 2 ? true : undefined), 2_000);
    },
  );

  test('never cuts a character in two', async () => {
    const publisher = new TurnPublisher(database, failOn);
    const turn = newTurn();
    const stream = publisher.open(turn);
    for (const half of '😀😀😀'.split('')) {
      stream.append(half);
      await publisher.drain();
    }
    await waitUntil('all of it', () => (textOf(turn.id) === '😀😀😀' ? true : undefined), 5_000);
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
