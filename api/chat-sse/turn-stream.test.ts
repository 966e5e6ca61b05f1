import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../db/core/index.ts';
import { connectDatabase } from '../../db/orm/index.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { ViewerCursor } from '../chat-feed/index.ts';
import type { ChatSubscriptions } from '../context/chat-subscriptions.ts';
import type { SseReply } from '../http/sse-reply.ts';
import { TurnEventStream } from './turn-stream.ts';

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

/** Returns a feed that has the turn's whole text but does not know yet that the turn has ended. */
function subscriptionsOf(turnId: string, text: string): ChatSubscriptions {
  return {
    subscribe: async (_place, viewer, resumeFrom) => {
      const cursor = new ViewerCursor(resumeFrom);
      const addition = cursor.advance({ turnId, attempt: 1, text });
      if (addition !== '' && cursor.position !== undefined) viewer.onChunk(addition, cursor.position);
      return () => undefined;
    },
  };
}

test.each([0, 4])(
  'a reader who attaches in the instant of the end is shown each character once, from %d on',
  async (known) => {
    const text = 'all of it';
    const chat = await ChatFixture.create(database);
    await chat.accept();
    const step = await chat.begin();
    await step.say(text);
    await step.end();
    const { chatId, orgId } = chat.place;
    const { turnId } = step;
    const before = new ViewerCursor();
    before.advance({ turnId, attempt: 1, text: text.slice(0, known) });
    const sent: { event: string; data: unknown }[] = [];
    const reply = {
      closed: new AbortController(),
      open: () => undefined,
      send: (event: string, data: unknown) => void sent.push({ event, data }),
      end: () => undefined,
    } as unknown as SseReply;
    const turn = { chatId, turnId, messageId: turnId, resumeFrom: known === 0 ? undefined : before.position };
    await new TurnEventStream(reply, turn).start(
      { database, chats: subscriptionsOf(turnId, text) },
      { orgId, userId: chat.userId },
    );
    const chunks = sent
      .filter(({ event }) => event === 'chunk')
      .map(({ data }) => (data as { content: string }).content);
    expect(chunks.join('')).toBe(text.slice(known));
    expect(sent.map(({ event }) => event)).toEqual(['stream_start', 'chunk', 'stream_end']);
  },
);
