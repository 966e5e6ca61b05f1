import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import type { Database } from '../core/database.ts';
import { connectDatabase } from '../orm/connect.ts';
import { requestInterrupt } from './request-interrupt.ts';
import { storeWait } from './steps/store-wait.ts';

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
