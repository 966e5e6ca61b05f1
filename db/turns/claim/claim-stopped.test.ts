import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ChatFixture } from '../../../test/support/chat-fixture.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts';
import type { Database } from '../../core/database.ts';
import { connectDatabase } from '../../orm/connect.ts';
import { claimTurn } from './claim-turn.ts';
import { requestInterrupt } from '../request-interrupt.ts';

let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  place = await createTestDatabase();
  database = await connectDatabase({ url: place.url, poolSize: 4 });
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

/** Creates a chat whose first turn has begun, and whose second one waits. */
async function begin() {
  const chat = await ChatFixture.create(database);
  await chat.accept();
  await chat.accept();
  const step = await chat.begin();
  const interrupt = async () =>
    requestInterrupt(database, { orgId: chat.place.orgId, userId: chat.userId }, chat.place.chatId);
  const claim = async () => claimTurn(database, chat.place, { stoppedTurnId: step.turnId });
  return { step, interrupt, claim };
}

test('a turn is not claimed as a stopped one before it was asked to stop', async () => {
  const { claim } = await begin();
  expect(await claim()).toBeUndefined();
});

test('a stopped turn is not claimed while one of its calls is open', async () => {
  const { step, interrupt, claim } = await begin();
  const tool = await step.storeTool();
  await tool.begin();
  await interrupt();
  expect(await claim()).toBeUndefined();
  await tool.end('interrupted');
  expect(await claim()).toMatchObject({ id: step.turnId, isInterrupted: true, openCalls: [] });
});

test('when a stopped turn has ended, the one that waits behind it is not claimed in its place', async () => {
  const { step, interrupt, claim } = await begin();
  await interrupt();
  await step.end();
  expect(await claim()).toBeUndefined();
});
