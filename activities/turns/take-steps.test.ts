import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Database } from '../../db/core/database.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { TurnPublisher } from '../../db/stream/turn-publisher.ts';
import { requestInterrupt } from '../../db/turns/request-interrupt.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { TurnRuns } from './runs/turn-runs.ts';
import { type StepsDeps, takeSteps } from './take-steps.ts';

let testDatabase: TestDatabase;
let database: Database;
let runs: TurnRuns;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ url: testDatabase.url, poolSize: 2 });
  runs = new TurnRuns({ database, runner: randomUUID(), onFailure: () => undefined });
});
afterAll(async () => {
  await runs.stop();
  await database.close();
  await testDatabase.drop();
});

test('the last sub-agent of a stopped turn ends that turn with its own, without a workflow', async () => {
  const chat = await ChatFixture.create(database);
  const { orgId } = chat.ref;
  await chat.accept();
  const step = await chat.begin();
  const call = step.planAgent();
  await step.store();
  const { below } = await call.begin();
  await requestInterrupt(database, { orgId, userId: chat.userId }, chat.ref.chatId);
  const publisher = new TurnPublisher(database, () => undefined);
  const log = pino({ level: 'silent' });
  const turns = { database, publisher, log, turnBounds: { perUser: 0, perOrg: 0 } };
  const deps = { turns, runs } as unknown as StepsDeps;
  const subChat = { orgId, chatId: below.chatId };
  await runs.begin(subChat, async (run) => takeSteps(deps, subChat, run)).result;
  await publisher.drain();
  const { rows } = await database.system.query('select id, status from turns where org_id = $1 order by id', [orgId]);
  const stopped = [step.turnId, below.turnId].map((id) => ({ id, status: 'interrupted' }));
  expect(rows).toEqual(stopped.toSorted((a, b) => a.id.localeCompare(b.id)));
});
