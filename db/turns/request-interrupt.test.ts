import { expect, test } from '@jest/globals';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { createAgent, createChat, registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { storeRuns } from '../../test/support/store-runs.ts';
import { storeWaitingCall } from '../../test/support/waiting-call.ts';
import { askForStep } from '../agent-workflows/runs/step-approvals.ts';
import { requestInterrupt } from './request-interrupt.ts';
import { storeWait } from './steps/store-wait.ts';

const served = serveTestApi();

test('a turn that waits for an hour is due at once when it is asked to stop: the wake of the request may be lost', async () => {
  const { database } = served.api;
  const chat = await ChatFixture.create(database);
  await chat.accept();
  const { id, attempt, step } = await chat.claim(chat.ref.chatId);
  const ref = { orgId: chat.ref.orgId, turnId: id, attempt, step };
  await storeWait(database, ref, new Date(Date.now() + 3_600_000));
  await requestInterrupt(database, { orgId: chat.ref.orgId, userId: chat.userId }, chat.ref.chatId);
  const { rows } = await database.system.query(
    `select from turns where id = $1 and next_wake_at <= now() + interval '1 second'`,
    [id],
  );
  expect(rows).toHaveLength(1);
});

test('a run that waits for a decision before a step has ended, and the wait with it, once its chat was asked to stop', async () => {
  const { database } = served.api;
  const user = await registerUser(served.url);
  const agentId = await createAgent(user.client);
  const chatId = await createChat(user.client, agentId);
  const [runId = ''] = await storeRuns(database, user, 1);
  await database.system.query('update workflow_runs set chat_id = $2, version = 1 where id = $1', [runId, chatId]);
  const step = { step: 0, agentId, prompt: 'Go.', expiresAt: new Date(Date.now() + 3_600_000) };
  await askForStep(database, { orgId: user.orgId, id: runId, version: 1 }, step);
  expect(await requestInterrupt(database, { orgId: user.orgId, userId: user.id }, chatId)).toBeUndefined();
  const { rows } = await database.system.query(
    `select r.status as run, r.completed_at is not null as "hasEnded", p.status as wait
      from workflow_runs r join approvals p on p.run_id = r.id where r.id = $1`,
    [runId],
  );
  expect(rows).toEqual([{ run: 'interrupted', hasEnded: true, wait: 'cancelled' }]);
});

test('a turn and a run that were asked to stop are not written again when they are asked once more', async () => {
  const { database } = served.api;
  const user = await registerUser(served.url);
  const owner = { orgId: user.orgId, userId: user.id };
  const agentId = await createAgent(user.client);
  const chatId = await createChat(user.client, agentId);
  const { turnId } = await storeWaitingCall(database, { ...owner, chatId });
  const [runId = ''] = await storeRuns(database, user, 1);
  await database.system.query('update workflow_runs set chat_id = $2, version = 1 where id = $1', [runId, chatId]);
  const step = { step: 0, agentId, prompt: 'Go.', expiresAt: new Date(Date.now() + 3_600_000) };
  await askForStep(database, { orgId: user.orgId, id: runId, version: 1 }, step);
  const ask = async () => {
    const asked = await requestInterrupt(database, owner, chatId);
    const { rows } = await database.system.query(
      `select t.xmin as turn, r.xmin as run, t.interrupt_requested_at is not null and r.interrupt_requested_at is not null as stop
        from turns t, workflow_runs r where t.id = $1 and r.id = $2`,
      [turnId, runId],
    );
    return { asked, rows };
  };
  const first = await ask();
  expect(first).toMatchObject({ asked: turnId, rows: [{ stop: true }] });
  expect(await ask()).toEqual(first);
});
