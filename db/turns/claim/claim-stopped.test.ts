import { expect, test } from '@jest/globals';
import { ChatFixture } from '../../../test/support/chat-fixture.ts';
import { serveTestDatabase } from '../../../test/support/serve-test-database.ts';
import { claimTurn } from './claim-turn.ts';
import { requestInterrupt } from '../request-interrupt.ts';

const database = serveTestDatabase({ poolSize: 4 });

/** Creates a chat whose first turn has begun, and whose second one waits. */
async function begin() {
  const chat = await ChatFixture.create(database);
  await chat.accept();
  await chat.accept();
  const step = await chat.begin();
  const interrupt = async () =>
    requestInterrupt(database, { orgId: chat.ref.orgId, userId: chat.userId }, chat.ref.chatId);
  const claim = async () => claimTurn(database, chat.ref, { stoppedTurnId: step.turnId });
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

test('when a stopped turn has ended, the one that waits behind it is not claimed instead', async () => {
  const { step, interrupt, claim } = await begin();
  await interrupt();
  await step.end();
  expect(await claim()).toBeUndefined();
});
