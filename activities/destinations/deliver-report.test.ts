import { beforeEach, describe, expect, test } from '@jest/globals';
import { purgeDeliveries } from '../../db/webhooks/deliveries.ts';
import type { TestUser } from '../../test/support/factories.ts';
import { json } from '../../test/support/outside-server.ts';
import { registerColleague, registerGrouped } from '../../test/support/people.ts';
import { serveReportedRuns } from '../../test/support/reported-runs.ts';
import { storeRuns } from '../../test/support/store-runs.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

const reported = serveReportedRuns();
const { served, receiver, addDestination, deliver, storeRun, end, pathOf, shownOf, undelivered } = reported;
const { reports } = receiver;
let user: TestUser;
beforeEach(() => {
  ({ user } = reported);
});

describe('the end of a run', () => {
  test('is reported once to each of its destinations, in one pass over the texts', async () => {
    const [always, failure] = [await addDestination(), await addDestination()];
    const runId = await storeRun([
      { destination_id: always, subject: '{{ name }} is {{status}}', body: 'It says: {{output}} ({{link}})' },
      { destination_id: failure, when: 'failure' },
    ]);
    await end(runId, 'completed', { output: 'Sales {{link}} rose\r\nby {{constructor}}.' });
    expect(await shownOf(runId)).toMatchObject([{ destination_id: always, status: 'pending', attempts: 0 }]);
    expect(await deliver(always)).toMatchObject({ hasEnded: true });
    await deliver(failure);
    const link = `https://everturn.example.com/o/${user.orgId}/runs?id=${runId}`;
    expect(reports()).toEqual([
      {
        subject: 'Report is completed',
        body: `It says: Sales {{link}} rose\r\nby {{constructor}}. (${link})`,
        files: [],
      },
    ]);
    expect(await shownOf(runId)).toMatchObject([{ status: 'delivered', attempts: 1, error: null }]);
  });

  test('has a subject of one line, and the usual words where none are given', async () => {
    const destination = await addDestination();
    const first = await storeRun([{ destination_id: destination, subject: '{{output}}' }]);
    await end(first, 'completed', { output: 'One\r\nBcc: spy@example.com\u2028Three' });
    const second = await storeRun([{ destination_id: destination, when: 'failure' }]);
    await end(second, 'failed', { error: 'The model was away.' });
    await deliver(destination);
    expect(reports().map(({ subject }) => subject)).toEqual(['One Bcc: spy@example.com Three', 'Report: failed']);
    expect(reports()[1]?.['body']).toBe('The model was away.');
  });

  test('names the files that its globs match to a webhook, with links of those that are stored', async () => {
    const destination = await addDestination();
    const runId = await storeRun([{ destination_id: destination, files: ['out/*.csv', '**/*.bin', '/etc/*'] }]);
    const ref = await reported.workspaceOf(runId);
    await ref.write('out/sales.csv', 'a,b\n');
    await ref.write('notes.txt', 'x');
    await ref.write('large.bin', Buffer.alloc(11 * 1024 ** 2), { isStored: false });
    await end(runId, 'completed', { output: 'Done.' });
    await deliver(destination);
    const url = expect.stringMatching(/^https:\/\/everturn\.example\.com\/api\/report-files\/[\w-]{200,300}$/);
    const unlinked = { name: 'large.bin', bytes: 11 * 1024 ** 2, url: null, expires_at: null };
    const body = 'Done.\n\nNot attached: `/etc/*`, which matches no file';
    expect(reports()).toMatchObject([
      { body, files: [unlinked, { name: 'sales.csv', bytes: 4, url, expires_at: expect.any(String) }] },
    ]);
  });

  test('names the globs that no file matches, in the report and beside its delivery', async () => {
    const destination = await addDestination();
    const files = ['out/*.csv', '*.txt', '**/*.bin'];
    const runId = await storeRun([{ destination_id: destination, files }]);
    await (await reported.workspaceOf(runId)).write('notes.txt', 'x');
    await end(runId, 'completed', { output: 'Done.' });
    const chatless = await storeRun([{ destination_id: destination, files: ['*.md'] }]);
    await served.api.database.system.query('update workflow_runs set chat_id = null where id = $1', [chatless]);
    await end(chatless, 'failed', { error: 'The model was away.' });
    await deliver(destination);
    const lacking = 'Not attached: `out/*.csv`, which matches no file, `**/*.bin`, which matches no file';
    const ofChatless = 'Not attached: `*.md`, which matches no file';
    expect(reports()).toMatchObject([
      { body: `Done.\n\n${lacking}`, files: [{ name: 'notes.txt' }] },
      { body: `The model was away.\n\n${ofChatless}`, files: [] },
    ]);
    expect(await shownOf(runId)).toMatchObject([{ status: 'delivered', error: lacking }]);
    expect(await shownOf(chatless)).toMatchObject([{ status: 'delivered', error: ofChatless }]);
  });

  test('names ten of many files, and counts the others', async () => {
    const destination = await addDestination();
    const runId = await storeRun([{ destination_id: destination, files: ['*.txt'] }]);
    const ref = await reported.workspaceOf(runId);
    for (let nth = 0; nth < 25; nth += 1) await ref.write(`${nth}.txt`, 'x', { isStored: false });
    await end(runId, 'completed', { output: 'Done.' });
    await deliver(destination);
    const [report] = reports();
    expect(report?.['files']).toHaveLength(10);
    expect(report?.['body']).toBe('Done.\n\nNot attached: 15 more');
  });

  test('is reported once, however many see it', async () => {
    const runId = await storeRun([{ destination_id: await addDestination() }]);
    await Promise.all(Array.from({ length: 4 }, async () => end(runId, 'completed')));
    expect(await shownOf(runId)).toHaveLength(1);
  });

  test('is stored for all destinations of runs that end at the same time', async () => {
    const deliveries = [{ destination_id: await addDestination() }, { destination_id: await addDestination() }];
    const one = await storeRuns(served.api.database, user, 4, { deliveries });
    const other = await storeRuns(served.api.database, user, 4, { deliveries: deliveries.toReversed() });
    await Promise.all([...one, ...other].map(async (runId) => end(runId, 'completed')));
    for (const runId of [...one, ...other]) expect(await shownOf(runId)).toHaveLength(2);
  });
});

describe('a destination that is gone', () => {
  test('is paused with the reason, and the run, the list of its user and the second destination are notified', async () => {
    const [gone, second] = [await addDestination(), await addDestination()];
    const runId = await storeRun([
      { destination_id: gone },
      { destination_id: second, when: 'undelivered', body: 'Lost: {{error}} / {{output}}' },
    ]);
    receiver.server.reply = (response) => void response.writeHead(410).end();
    await end(runId, 'completed', { output: 'Sales rose.' });
    await deliver(gone);
    const reason = 'The receiver answered with status 410';
    const failed = { destination_id: gone, status: 'failed', attempts: 1, error: reason };
    expect(await shownOf(runId)).toMatchObject([failed, { destination_id: second, status: 'pending' }]);
    expect(await undelivered()).toMatchObject([{ ...failed, run_id: runId, name: 'Report', schedule_id: null }]);
    expect((await user.client.get(`/api/destinations/${gone}`)).json).toMatchObject({
      is_active: false,
      paused_reason: reason,
    });
    expect((await user.client.get(await pathOf(runId))).json).toMatchObject({ status: 'completed', error: null });

    receiver.server.reply = json({});
    receiver.server.seen.length = 0;
    await deliver(second);
    expect(reports()).toMatchObject([
      {
        subject: 'Report: not delivered',
        body: expect.stringMatching(/^Lost: Not delivered to Hook \d+: .*410 \/ Sales rose\.$/),
      },
    ]);
    const [first] = await shownOf(runId);
    const resent = await user.client.post(`${await pathOf(runId)}/deliveries/${first?.id}/resend`);
    expect([resent.status, resent.json]).toMatchObject([202, { id: first?.id, status: 'pending' }]);
    await deliver(gone);
    const attempt_log = [
      { at: expect.any(String), status: 410, error: reason },
      { at: expect.any(String), status: 200, error: null },
    ];
    expect(await shownOf(runId)).toMatchObject([
      { status: 'delivered', attempts: 2, attempt_log },
      { status: 'delivered' },
    ]);
    expect(await undelivered()).toEqual([]);
  });

  test('is one of several of which the second destination is notified, beside the run itself', async () => {
    const [one, other, second] = [await addDestination(), await addDestination(), await addDestination()];
    const runId = await storeRun([
      ...[one, other, second].map((destination_id) => ({ destination_id })),
      { destination_id: second, when: 'undelivered', body: '{{error}}' },
    ]);
    await end(runId, 'completed', { output: 'Sales rose.' });
    receiver.server.reply = (response) => void response.writeHead(410).end();
    for (const gone of [one, other]) await deliver(gone);
    receiver.server.reply = json({});
    receiver.server.seen.length = 0;
    await deliver(second);
    const lost = { body: expect.stringMatching(/^Not delivered to Hook/) };
    expect(reports()).toMatchObject([{ body: 'Sales rose.' }, lost, lost]);
  });

  test('lists what comes after it as undelivered and has the second destination notified once, and sends it once resumed', async () => {
    const [gone, second] = [await addDestination(), await addDestination()];
    const deliveries = [{ destination_id: gone }, { destination_id: second, when: 'undelivered', body: '{{error}}' }];
    const [lost, waiting] = [await storeRun(deliveries), await storeRun(deliveries)];
    receiver.server.reply = (response) => void response.writeHead(410).end();
    await end(lost, 'completed');
    await deliver(gone);
    receiver.server.reply = json({});
    receiver.server.seen.length = 0;
    const isDue = async () => {
      const text = 'select due_at is not null as "isDue" from webhook_targets where destination_id = $1';
      return (await served.api.database.system.query<{ isDue: boolean }>(text, [gone])).rows[0]?.isDue;
    };

    await end(waiting, 'completed');
    expect(await isDue()).toBe(true);
    for (let nth = 0; nth < 2; nth += 1) expect(await deliver(gone)).toMatchObject({ hasEnded: true });
    expect(await isDue()).toBe(false);
    const error = 'The receiver answered with status 410';
    const kept = { destination_id: gone, status: 'pending', attempts: 0, error };
    expect(await shownOf(waiting)).toMatchObject([kept, { destination_id: second, status: 'pending' }]);
    expect(await undelivered()).toMatchObject([
      { ...kept, run_id: waiting },
      { run_id: lost, status: 'failed' },
    ]);
    const listed = await user.client.get<{ id: string }[]>('/api/runs?undelivered=true');
    expect(listed.json.map(({ id }) => id)).toEqual([waiting, lost]);
    await deliver(second);
    const body = expect.stringMatching(/^Not delivered to Hook \d+: The receiver answered with status 410$/);
    expect(reports()).toMatchObject([{ body }, { body }]);

    await user.client.patch(`/api/destinations/${gone}`, { is_active: true });
    await deliver(gone);
    expect(await shownOf(waiting)).toMatchObject([{ status: 'delivered', error: null }, { status: 'delivered' }]);
    expect(await undelivered()).toMatchObject([{ run_id: lost }]);
  });

  test('that a person has paused keeps what comes, and delivers it once it is active', async () => {
    const destination = await addDestination();
    const path = `/api/destinations/${destination}`;
    const runId = await storeRun([{ destination_id: destination }]);
    await user.client.patch(path, { is_active: false });
    await end(runId, 'completed');
    expect(await deliver(destination)).toMatchObject({ hasEnded: true });
    const [waiting] = await shownOf(runId);
    expect(waiting).toMatchObject({ status: 'pending', next_attempt_at: null, error: 'The destination is not active' });
    expect((await user.client.post(`${await pathOf(runId)}/deliveries/${waiting?.id}/resend`)).status).toBe(409);
    await user.client.patch(path, { is_active: true });
    await deliver(destination);
    expect(await shownOf(runId)).toMatchObject([{ status: 'delivered' }]);
  });

  test('that a person pauses during the last attempt at a report stays paused', async () => {
    const destination = await addDestination();
    const path = `/api/destinations/${destination}`;
    const runId = await storeRun([{ destination_id: destination }]);
    await end(runId, 'completed');
    await served.api.database.system.query('update webhook_deliveries set tries = 5 where run_id = $1', [runId]);
    receiver.server.reply = (response) =>
      void user.client.patch(path, { is_active: false }).then(() => response.writeHead(400).end());
    await deliver(destination);
    expect(await shownOf(runId)).toMatchObject([{ status: 'failed' }]);
    expect((await user.client.get(path)).json).toMatchObject({ is_active: false, paused_reason: null });
  });

  test('waits for the others that are notified of it before it is locked itself, as the ends of runs do', async () => {
    const [second, gone] = [await addDestination(), await addDestination()];
    const runId = await storeRun([{ destination_id: gone }, { destination_id: second, when: 'undelivered' }]);
    await end(runId, 'completed');
    receiver.server.reply = (response) => void response.writeHead(410).end();
    const lock = 'select from webhook_targets where destination_id = $1 for update nowait';
    const client = await served.api.database.system.connect();
    let delivering: Promise<unknown>;
    try {
      await client.query('begin');
      await client.query(lock, [second]);
      delivering = deliver(gone);
      await waitUntil('it waits for the lock', async () => {
        const { rows } = await served.api.database.system.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows.length > 0 || undefined;
      });
      expect((await client.query(lock, [gone])).rowCount).toBe(1);
    } finally {
      await client.query('rollback');
      client.release();
    }
    await delivering;
    expect(await shownOf(runId)).toMatchObject([{ status: 'failed' }, { destination_id: second, status: 'pending' }]);
  });

  test('is not deleted while runs are reported to it, unless that is forced', async () => {
    const destination = await addDestination();
    await storeRun([{ destination_id: destination }]);
    const refused = await user.client.delete(`/api/destinations/${destination}`);
    expect([refused.status, refused.json]).toMatchObject([409, { detail: expect.stringContaining('"Report"') }]);
    expect((await user.client.delete(`/api/destinations/${destination}?force=true`)).status).toBe(204);
  });
});

test('an undelivered report is kept and listed for its user until they dismiss it, and again once it has failed anew', async () => {
  const gone = await addDestination();
  receiver.server.reply = (response) => void response.writeHead(410).end();
  const [failed, waiting] = [await storeRun([{ destination_id: gone }]), await storeRun([{ destination_id: gone }])];
  for (const runId of [failed, waiting]) await end(runId, 'completed', { output: 'Sales rose.' });
  await deliver(gone);
  const purge = async () => {
    const { system } = served.api.database;
    await system.query('update webhook_targets set purge_at = now() where destination_id = $1', [gone]);
    await purgeDeliveries(served.api.database);
  };
  await served.api.database.system.query(
    "update webhook_deliveries set created_at = now() - interval '1 year', last_attempt_at = now() - interval '1 year' where org_id = $1",
    [user.orgId],
  );
  await purge();
  expect((await undelivered()).map(({ run_id: runId }) => runId)).toEqual([waiting, failed]);

  const { id } = (await shownOf(failed))[0] ?? {};
  const path = `/api/runs/undelivered/${id}/dismiss`;
  const colleague = await registerColleague(served.api, user, 'admin');
  expect((await colleague.client.post(path)).status).toBe(404);
  expect((await user.client.post(path)).status).toBe(204);
  expect((await user.client.post(path)).status).toBe(404);
  expect((await undelivered()).map(({ run_id: runId }) => runId)).toEqual([waiting]);
  expect((await user.client.get('/api/runs?undelivered=true')).json).toMatchObject([{ id: waiting }]);

  expect((await user.client.post(`${await pathOf(failed)}/deliveries/${id}/resend`)).status).toBe(202);
  await deliver(gone);
  expect((await undelivered()).map(({ run_id: runId }) => runId)).toEqual([waiting, failed]);
  expect((await user.client.post(path)).status).toBe(204);

  const { id: kept } = (await shownOf(waiting))[0] ?? {};
  expect((await user.client.post(`/api/runs/undelivered/${kept}/dismiss`)).status).toBe(204);
  expect(await undelivered()).toEqual([]);
  await user.client.patch(`/api/destinations/${gone}`, { is_active: true });
  await deliver(gone);
  expect(await undelivered()).toMatchObject([{ run_id: waiting, status: 'failed' }]);
  await purge();
  expect([await shownOf(failed), await shownOf(waiting)]).toMatchObject([[], [{ destination_id: gone }]]);
});

test('a report has a log of its newest 20 attempts', async () => {
  const destination = await addDestination();
  const runId = await storeRun([{ destination_id: destination }]);
  await end(runId, 'completed');
  await served.api.database.system.query(
    `update webhook_deliveries set attempt_log = (
        select jsonb_agg(jsonb_build_object('at', '2026-11-01T10:00:00.000Z', 'status', 503, 'error', nth::text) order by nth)
        from generate_series(1, 20) nth
      ) where run_id = $1`,
    [runId],
  );
  await deliver(destination);
  const [shown] = await shownOf(runId);
  expect(shown?.['attempt_log']).toHaveLength(20);
  expect(shown?.['attempt_log']).toMatchObject({ 0: { error: '2' }, 19: { status: 200, error: null } });
});

describe('a report whose setter may not use destinations any more', () => {
  test('is abandoned at once and pauses nothing, and is sent again in the name of the user who asks for it', async () => {
    const destination = await addDestination();
    const keys = ['schedules.view', 'schedules.manage', 'agents.view', 'agents.manage'];
    const { member, groupPath } = await registerGrouped(served.api, user, [...keys, 'integrations.view']);
    const deliveries = [{ destination_id: destination }];
    const [runId = ''] = await storeRuns(served.api.database, member, 1, { deliveries });
    await end(runId, 'completed', { output: 'Sales rose.' });
    await user.client.patch(groupPath, { permissions: keys });
    await deliver(destination);
    expect(receiver.server.seen).toEqual([]);
    const [given] = await shownOf(runId);
    expect(given).toMatchObject({ status: 'failed', attempts: 1, error: expect.stringMatching(/^Who has set it/) });
    expect((await user.client.get(`/api/destinations/${destination}`)).json).toMatchObject({ is_active: true });
    const { rows } = await served.api.database.system.query(
      'select failures from webhook_targets where destination_id = $1',
      [destination],
    );
    expect(rows).toEqual([{ failures: 0 }]);

    const path = `${await pathOf(runId)}/deliveries/${given?.id}/resend`;
    expect((await member.client.post(path)).status).toBe(403);
    expect((await user.client.post(path)).status).toBe(202);
    await deliver(destination);
    expect(await shownOf(runId)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });

  test.each([
    ['have left', 'delete from memberships where user_id = $1'],
    ['have deleted their account', 'delete from users where id = $1'],
  ])('is not sent when they %s', async (_what, leave) => {
    const destination = await addDestination();
    const member = await registerColleague(served.api, user, 'member');
    const [runId = ''] = await storeRuns(served.api.database, user, 1);
    const path = await pathOf(runId);
    const workflow = path.slice(0, path.indexOf('/runs/'));
    const deliveries = [{ destination_id: destination }];
    expect((await member.client.patch(workflow, { deliveries })).status).toBe(200);
    await served.api.database.system.query(leave, [member.id]);
    await end(runId, 'completed');
    await deliver(destination);
    expect(receiver.server.seen).toEqual([]);
    expect(await undelivered()).toMatchObject([{ run_id: runId, error: expect.stringMatching(/^Who has set it/) }]);
  });
});
