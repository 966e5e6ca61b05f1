import { expect, test } from '@jest/globals';
import { ChatFixture } from '../../../test/support/chat-fixture.ts';
import { serveTestDatabase } from '../../../test/support/serve-test-database.ts';
import { storeWait } from './store-wait.ts';
import { wakeWaitingTurns } from '../due-turns.ts';

const HOUR_MS = 3_600_000;

const database = serveTestDatabase({ poolSize: 4 });

/** Begins a step of a turn that may come to wait, and may be woken. */
async function begin() {
  const chat = await ChatFixture.create(database);
  await chat.accept();
  const { orgId, chatId } = chat.ref;
  const wait = async () => {
    const { id, attempt, step } = await chat.claim(chatId);
    return async () => storeWait(database, { orgId, turnId: id, attempt, step }, new Date(Date.now() + HOUR_MS));
  };
  const isDueIn = async (seconds: number) => {
    const { rows } = await database.system.query(
      `select from turns where chat_id = $1 and waiting_until <= now() and next_wake_at <= now() + interval '1 second' * $2::int`,
      [chatId, seconds],
    );
    return rows.length > 0;
  };
  return { wait, isDueIn, wake: async () => wakeWaitingTurns(database, orgId) };
}

test('a turn that was woken after its step had begun does not wait', async () => {
  const { wait, isDueIn, wake } = await begin();
  const storeWaitOfStep = await wait();
  await wake();
  expect(await storeWaitOfStep()).toMatchObject({ isWoken: true });
  expect(await isDueIn(30)).toBe(true);
});

test('a turn that was woken before its step began waits: the step has read what is new', async () => {
  const { wait, isDueIn, wake } = await begin();
  await (
    await wait()
  )();
  await wake();
  const storeWaitOfStep = await wait();
  expect(await storeWaitOfStep()).toMatchObject({ isWoken: false });
  expect(await isDueIn(30)).toBe(false);
});
