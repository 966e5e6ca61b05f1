import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { TurnPublisher, type TurnStream } from './turn-publisher.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** A database whose statements are answered at once, or when the test says so. */
class BlockedDatabase {
  readonly statements: { texts: string[]; answer: () => void }[] = [];
  #isBlocked: boolean;

  get texts(): string[][] {
    return this.statements.map(({ texts }) => texts);
  }

  constructor({ isBlocked }: { isBlocked: boolean }) {
    this.#isBlocked = isBlocked;
  }

  publisher(): TurnPublisher {
    const stream = { query: async ({ values }: { values: unknown[] }) => this.#take(values[4] as string[]) };
    return new TurnPublisher({ stream } as never, (error) => {
      throw error;
    });
  }

  async #take(events: readonly string[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const texts = events.map((event) => (JSON.parse(event) as { text: string }).text);
    this.statements.push({ texts, answer: resolve });
    if (this.#isBlocked) await promise;
  }
}

function openStreams(publisher: TurnPublisher, count: number) {
  const turn = { seq: 1, afterSeq: 0, attempt: 1, step: 0, baseLength: 0 };
  return Array.from({ length: count }, () =>
    publisher.open({ ...turn, orgId: uuidv7(), chatId: uuidv7(), id: uuidv7() }),
  );
}

/** Lets everything happen that waits for no timer. */
async function settle(): Promise<void> {
  for (let loop = 0; loop < 10; loop += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  await settle();
}

/** Lets every stream have text each millisecond, and tells how many statements that takes. */
async function countStatements(streams: readonly TurnStream[], database: BlockedDatabase, ms: number): Promise<number> {
  const before = database.statements.length;
  for (let at = 0; at < ms; at += 1) {
    for (const stream of streams) stream.append('word ');
    await pass(1);
  }
  return database.statements.length - before;
}

describe('TurnPublisher', () => {
  test('sends the text of a stream alone at once, and what arrives in the meantime when that is done', async () => {
    const database = new BlockedDatabase({ isBlocked: true });
    const [stream] = openStreams(database.publisher(), 1);
    const answerLast = async () => {
      database.statements.at(-1)?.answer();
      await settle();
    };
    stream?.append('one ');
    await settle();
    stream?.append('two ');
    await settle();
    stream?.append('three ');
    await settle();
    expect(database.texts).toEqual([['one ']]);
    await answerLast();
    expect(database.texts).toEqual([['one '], ['two three ']]);
    await answerLast();
    stream?.append('four');
    await settle();
    expect(database.texts).toEqual([['one '], ['two three '], ['four']]);
  });

  test.each([
    [1, 100, 100],
    [11, 10, 12],
    [200, 3, 5],
  ])('has the texts of %i streams share statements', async (count, least, most) => {
    const database = new BlockedDatabase({ isBlocked: false });
    const streams = openStreams(database.publisher(), count);
    await countStatements(streams, database, 40);
    const statements = await countStatements(streams, database, 100);
    expect(statements).toBeGreaterThanOrEqual(least);
    expect(statements).toBeLessThanOrEqual(most);
  });

  test('lets the first text of a stream hardly wait for the texts of many others', async () => {
    const database = new BlockedDatabase({ isBlocked: false });
    const publisher = database.publisher();
    const streams = openStreams(publisher, 200);
    await countStatements(streams, database, 40);
    openStreams(publisher, 1)[0]?.append('first');
    await pass(3);
    expect(database.texts.at(-1)).toContain('first');
  });
});
