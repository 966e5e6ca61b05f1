import { expect, test } from '@jest/globals';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { requestInterrupt } from './request-interrupt.ts';
import { storeWait } from './steps/store-wait.ts';

const database = serveTestDatabase({ poolSize: 4 });

test('a turn that waits for an hour is due at once when it is asked to stop: the wake of the request may be lost', async () => {
  const chat = await ChatFixture.create(database);
  await chat.accept();
  const { id, attempt, step } = await chat.claim(chat.place.chatId);
  const ref = { orgId: chat.place.orgId, turnId: id, attempt, step };
  await storeWait(database, ref, new Date(Date.now() + 3_600_000));
  await requestInterrupt(database, { orgId: chat.place.orgId, userId: chat.userId }, chat.place.chatId);
  const { rows } = await database.system.query(
    `select from turns where id = $1 and next_wake_at <= now() + interval '1 second'`,
    [id],
  );
  expect(rows).toHaveLength(1);
});
