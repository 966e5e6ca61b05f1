import { beforeEach, describe, expect, test } from '@jest/globals';
import { endRun } from '../../db/agent-workflows/runs/end-run.ts';
import { readRunState } from '../../db/agent-workflows/index.ts';
import { fireSchedule } from '../../db/schedules/index.ts';
import type { FinalRunStatus } from '../../domain/agent-workflows.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { WEEKDAYS } from '../../domain/sending-times.ts';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { json } from '../../test/support/outside-server.ts';
import { registerColleague, registerGrouped } from '../../test/support/people.ts';
import { serveReportReceiver } from '../../test/support/report-receiver.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { storeRuns } from '../../test/support/store-runs.ts';
import { UNKNOWN_ID } from '../../test/support/unknown-id.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { filePath, workspaceOf } from '../tools/index.ts';

type Fields = Record<string, unknown>;

interface Shown extends Fields {
  readonly id: string;
  readonly destination_id: string;
  readonly status: string;
}

const served = serveTestApi({ privateHosts: '127.0.0.1:*' });
const receiver = serveReportReceiver(served);
let user: TestUser;
beforeEach(async () => {
  user = await registerUser(served.url);
});

const addDestination = async (by = user) => receiver.addDestination(by);
const deliver = async (destinationId: string) => receiver.deliver(user, destinationId);
const { reports } = receiver;

const storeRun = async (deliveries: readonly Fields[]) =>
  (await storeRuns(served.api.database, user, 1, { deliveries }))[0] ?? '';

/** Ends a run as its workflow does; its answer is written beside. */
async function end(runId: string, status: FinalRunStatus, { output = '', error = null as string | null } = {}) {
  const run = await readRunState(served.api.database, { orgId: user.orgId, runId });
  if (run !== undefined) await endRun(served.api.database, run, { status, error });
  await served.api.database.system.query('update workflow_runs set output = $2 where id = $1', [runId, output]);
}

async function pathOf(runId: string): Promise<string> {
  const { rows } = await served.api.database.system.query<{ id: string }>(
    'select workflow_id as id from workflow_runs where id = $1',
    [runId],
  );
  return `/api/workflows/${rows[0]?.id}/runs/${runId}`;
}

const shownOf = async (runId: string) =>
  (await user.client.get<{ deliveries: Shown[] }>(await pathOf(runId))).json.deliveries;
const undelivered = async () => (await user.client.get<Shown[]>('/api/runs/undelivered')).json;

describe('the end of a run', () => {
  test('is reported once to each destination that is told of it, in one pass over the texts', async () => {
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

  test('takes the files along that its globs name, as far as they fit, and names the others', async () => {
    const destination = await addDestination();
    const runId = await storeRun([{ destination_id: destination, files: ['out/*.csv', '**/*.bin', '/etc/*'] }]);
    const { rows } = await served.api.database.system.query<{ chatId: string }>(
      'select chat_id as "chatId" from workflow_runs where id = $1',
      [runId],
    );
    const signal = new AbortController().signal;
    const deps = await receiver.deps();
    const workspace = workspaceOf(deps, { orgId: user.orgId, workspaceChatId: rows[0]?.chatId ?? '' }, signal);
    const options = { overwrite: false, createFolders: true, isForeign: false };
    await workspace.write(filePath('out/sales.csv'), Buffer.from('a,b\n'), options);
    await workspace.write(filePath('notes.txt'), Buffer.from('x'), options);
    await workspace.write(filePath('large.bin'), Buffer.alloc(11 * 1024 ** 2), options);
    await end(runId, 'completed', { output: 'Done.' });
    await deliver(destination);
    expect(reports()).toMatchObject([
      {
        files: [{ name: 'sales.csv', bytes: 4 }],
        body: expect.stringMatching(/^Done\.\n\nNot attached: large\.bin \(/),
      },
    ]);
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
  test('is paused with the reason, and the run, the list of its user and the second destination are told', async () => {
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

  test('is one of several of which the second destination is told, beside the run itself', async () => {
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

  test('that a person has paused keeps what comes, and goes on with it once it is active', async () => {
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

  test('waits for the others that are told of it before it is locked itself, as the ends of runs do', async () => {
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
  test('is given up at once and blames nobody else, and goes in the name of who sends it again', async () => {
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

test('quiet hours hold a report back, which is not an attempt, until they are over', async () => {
  const destination = await addDestination();
  const path = `/api/destinations/${destination}`;
  const runId = await storeRun([{ destination_id: destination }]);
  // Of all days but yesterday's.
  const days = WEEKDAYS.filter((_, at) => at !== (new Date().getUTCDay() + 5) % 7);
  const always = { timezone: 'UTC', from: '00:00', to: '00:00', days };
  expect((await user.client.patch(path, { quiet_hours: always })).status).toBe(200);
  await end(runId, 'completed', { output: 'Sales rose.' });
  const { hasEnded, waitMs } = await deliver(destination);
  expect([hasEnded, waitMs > 4 * 86_400_000]).toEqual([false, true]);
  const [held] = await shownOf(runId);
  expect(held).toMatchObject({ status: 'pending', attempts: 0, error: null });
  expect(Date.parse(String(held?.['next_attempt_at']))).toBeGreaterThan(Date.now() + 4 * 86_400_000);
  expect(receiver.server.seen).toEqual([]);

  await user.client.patch(path, { quiet_hours: null });
  expect(await deliver(destination)).toMatchObject({ hasEnded: true });
  expect(await shownOf(runId)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
});

describe('a digest', () => {
  const addDigest = async () => {
    const destination = await addDestination();
    await user.client.patch(`/api/destinations/${destination}`, { digest_minutes: 60 });
    return destination;
  };
  const pass = async (minutes: number) =>
    served.api.database.system.query(
      `update webhook_deliveries set queued_at = queued_at - make_interval(mins => $2), next_attempt_at = now()
        where org_id = $1`,
      [user.orgId, minutes],
    );

  test('is one message for what was reported meanwhile, the same for each attempt; what comes later has its own', async () => {
    const destination = await addDigest();
    const deliveries = [{ destination_id: destination, subject: '{{output}}' }];
    const [one, other, last] = [await storeRun(deliveries), await storeRun(deliveries), await storeRun(deliveries)];
    await end(one, 'completed', { output: 'One' });
    await end(other, 'completed', { output: 'Two' });
    expect(await deliver(destination)).toMatchObject({ hasEnded: false });
    expect(receiver.bodies()).toEqual([]);

    await pass(61);
    receiver.server.reply = (response) => void response.writeHead(503).end();
    await deliver(destination);
    await end(last, 'completed', { output: 'Three' });
    await pass(0);
    receiver.server.reply = json({});
    await deliver(destination);
    const both = [
      { type: 'run.ended', report: { subject: 'One', body: 'One' } },
      { type: 'run.ended', report: { subject: 'Two', body: 'Two' } },
    ];
    const id = receiver.bodies()[0]?.['id'];
    expect(receiver.bodies()).toMatchObject([
      { id, type: 'digest', reports: both },
      { id, type: 'digest', reports: both },
    ]);
    expect(receiver.bodies().map(({ reports: sent }) => (sent as Fields[]).length)).toEqual([2, 2]);
    // Whoever has had the first report alone takes the digest all the same.
    expect((await shownOf(one)).map((shown) => shown['id'])).not.toContain(id);
    for (const runId of [one, other])
      expect(await shownOf(runId)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
    expect(await shownOf(last)).toMatchObject([{ status: 'pending', attempts: 0 }]);
    await pass(61);
    await deliver(destination);
    expect(receiver.bodies().at(-1)).toMatchObject({ type: 'run.ended', report: { subject: 'Three' } });
  });

  test('shares the room of one message among its reports, and says what is missing and where it is', async () => {
    const destination = await addDigest();
    const runs = await storeRuns(served.api.database, user, 20, { deliveries: [{ destination_id: destination }] });
    for (const runId of runs) await end(runId, 'completed', { output: 'x'.repeat(100_000) });
    await pass(61);
    expect(await deliver(destination)).toMatchObject({ hasEnded: true });
    const [body] = receiver.bodies();
    expect(body).toMatchObject({ type: 'digest', reports: { length: runs.length } });
    expect(receiver.server.seen[0]?.body.length).toBeLessThan(1_000_000);
    const [first] = (body ?? {})['reports'] as { run: Fields; report: Fields }[];
    expect(first?.run).toMatchObject({ output: 'x'.repeat(20_000), output_truncated: true });
    const page = `https://everturn.example.com/o/${user.orgId}/runs?id=${runs[0]}`;
    expect(first?.report['body']).toBe(`${'x'.repeat(20_000)}\n\n[… 80000 more characters: ${page}]`);
  });

  test('that is given up is told to the second destination by a report for each of its reports', async () => {
    const [gone, second] = [await addDigest(), await addDestination()];
    const deliveries = [{ destination_id: gone }, { destination_id: second, when: 'undelivered' }];
    for (const output of ['One', 'Two']) await end(await storeRun(deliveries), 'completed', { output });
    await pass(61);
    receiver.server.reply = (response) => void response.writeHead(410).end();
    await deliver(gone);
    expect(await undelivered()).toHaveLength(2);
    receiver.server.reply = json({});
    receiver.server.seen.length = 0;
    await deliver(second);
    expect(reports()).toMatchObject([{ body: expect.stringMatching(/One$/) }, { body: expect.stringMatching(/Two$/) }]);
  });

  test('leaves out what its setter may not send any more', async () => {
    const destination = await addDigest();
    const deliveries = [{ destination_id: destination }];
    const [allowed, forbidden] = [await storeRun(deliveries), await storeRun(deliveries)];
    for (const runId of [allowed, forbidden]) await end(runId, 'completed', { output: 'Sales rose.' });
    await served.api.database.system.query(
      `update webhook_deliveries set report = jsonb_set(report::jsonb, '{userId}', 'null')::json where run_id = $1`,
      [forbidden],
    );
    await pass(61);
    await deliver(destination);
    expect(reports()).toMatchObject([{ body: 'Sales rose.' }]);
    expect(await shownOf(allowed)).toMatchObject([{ status: 'delivered' }]);
    expect(await shownOf(forbidden)).toMatchObject([{ status: 'failed', attempts: 1 }]);
  });
});

describe('that a schedule has not run', () => {
  const HOUR = 3_600_000;
  const fire = async (scheduleId: string, now = new Date()) =>
    fireSchedule(served.api.database, { orgId: user.orgId, scheduleId }, now, parseOrgLimits(''));

  async function addSchedule(destinations: readonly string[], fields: Fields = {}, by = user): Promise<string> {
    const agent_id = await createAgent(by.client);
    const deliveries = destinations.map((destination_id) => ({ destination_id, when: 'missed' }));
    const schedule = { name: 'Weekly', agent_id, prompt: 'Go.', interval_minutes: 10, deliveries, ...fields };
    const { status, json: added } = await by.client.post<{ id: string }>('/api/schedules', schedule);
    expect(status).toBe(201);
    return added.id;
  }

  const pauseReasonOf = async (id: string) =>
    (await user.client.get<Fields>(`/api/schedules/${id}`)).json['pause_reason'];
  const deliveriesTo = async (id: string) =>
    (await user.client.get<Shown[]>(`/api/destinations/${id}/deliveries`)).json;

  test('is told once for all the times that were missed together, however many processes see them', async () => {
    const [one, other] = [await addDestination(), await addDestination()];
    const schedule = await addSchedule([one, other], { timezone: 'Europe/Berlin' });
    const { json: shown } = await user.client.get<Fields>(`/api/schedules/${schedule}`);
    const missed = String(shown['next_run_at']);
    const now = new Date(new Date(missed).getTime() + 3 * HOUR);
    await Promise.all(Array.from({ length: 4 }, async () => fire(schedule, now)));
    for (const destination of [one, other]) {
      expect(await deliveriesTo(destination)).toMatchObject([
        { event: 'run.missed', run_id: null, schedule_id: schedule },
      ]);
      await deliver(destination);
    }
    const reason = expect.stringMatching(
      /^It did not run at \d{4}-\d\d-\d\d \d\d:\d\d \(Europe\/Berlin\) and at times after it: the catch-up window of 10 min had passed\.$/,
    );
    const told = {
      type: 'run.missed',
      workflow: null,
      schedule: { id: schedule, name: 'Weekly' },
      missed: { kind: 'missed', at: missed, reason },
      report: { subject: 'Weekly: missed', body: reason, files: [] },
    };
    expect(receiver.bodies()).toMatchObject([told, told]);
  });

  test('is told when it pauses itself, though its owner, who has set that, has left', async () => {
    const destination = await addDestination();
    const member = await registerColleague(served.api, user, 'member');
    const schedule = await addSchedule([destination], {}, member);
    await served.api.database.system.query('delete from memberships where user_id = $1', [member.id]);
    await fire(schedule, new Date(Date.now() + HOUR));
    await deliver(destination);
    const reason = 'Its owner is no longer a member of the organization.';
    expect(await pauseReasonOf(schedule)).toBe(reason);
    expect(reports()).toEqual([{ subject: 'Weekly: paused', body: reason, files: [] }]);
  });

  test('is told beside the report of the failed run after which it pauses', async () => {
    const destination = await addDestination();
    const deliveries = [
      { destination_id: destination, when: 'failure' },
      { destination_id: destination, when: 'missed', body: '{{name}} is {{status}}: {{error}} {{link}}' },
    ];
    const schedule = await addSchedule([], { deliveries, pause_on_failure: true });
    const { json: run } = await user.client.get<Fields>(`/api/schedules/${schedule}`);
    await fire(schedule, new Date(String(run['next_run_at'])));
    const { json: runs } = await user.client.get<{ id: string }[]>(`/api/schedules/${schedule}/runs`);
    await end(runs[0]?.id ?? '', 'failed', { error: 'The model was away.' });
    await deliver(destination);
    const link = `https://everturn.example.com/o/${user.orgId}/schedules/${schedule}`;
    const paused = { subject: 'Weekly: paused', body: `Weekly is paused: A run failed. ${link}` };
    expect(reports()).toMatchObject([{ subject: 'Weekly: failed', body: 'The model was away.' }, paused]);
  });

  test('is not told when a person has paused it, it has no further times, or other runs were in the way', async () => {
    const destination = await addDestination();
    const [stopped, ended, busy] = [
      await addSchedule([destination]),
      await addSchedule([destination], { max_runs: 1 }),
      await addSchedule([destination]),
    ];
    await user.client.post(`/api/schedules/${stopped}/deactivate`);
    const { json: next } = await user.client.get<Fields>(`/api/schedules/${ended}`);
    const slot = new Date(String(next['next_run_at']));
    for (const id of [stopped, ended, busy]) await fire(id, slot);
    await fire(busy, new Date(slot.getTime() + 600_000));
    expect(await pauseReasonOf(ended)).toMatch(/^It has started 1 run/);
    expect(await deliveriesTo(destination)).toEqual([]);
  });

  test('is told to the second destination and its owner when it is given up, and is sent again', async () => {
    const [gone, second] = [await addDestination(), await addDestination()];
    const deliveries = [
      { destination_id: gone, when: 'missed' },
      { destination_id: second, when: 'undelivered' },
    ];
    const schedule = await addSchedule([], { deliveries });
    await fire(schedule, new Date(Date.now() + 5 * HOUR));
    receiver.server.reply = (response) => void response.writeHead(410).end();
    await deliver(gone);
    expect(await undelivered()).toMatchObject([{ run_id: null, schedule_id: schedule, name: 'Weekly' }]);
    receiver.server.reply = json({});
    receiver.server.seen.length = 0;
    await deliver(second);
    const body = expect.stringMatching(/^Not delivered to Hook \d+: .*410\n\nIt did not run at /);
    expect(reports()).toMatchObject([{ subject: 'Weekly: not delivered', body }]);
    const [failed] = await deliveriesTo(gone);
    const resent = await user.client.post(`/api/destinations/${gone}/deliveries/${failed?.id}/resend`);
    expect([resent.status, resent.json]).toMatchObject([202, { id: failed?.id, status: 'pending' }]);
    await deliver(gone);
    expect(await deliveriesTo(gone)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
    expect(await undelivered()).toEqual([]);
    expect((await user.client.post(`/api/destinations/${second}/deliveries/${failed?.id}/resend`)).status).toBe(404);
  });

  test('is told of the times of a workflow', async () => {
    const destination = await addDestination();
    const agent_id = await createAgent(user.client);
    const times = { trigger_type: 'schedule', interval_minutes: 10 };
    const deliveries = [{ destination_id: destination, when: 'missed' }];
    const workflow = { name: 'Triage', agent_id, prompt_template: 'Go.', ...times, deliveries };
    const { json: added } = await user.client.post<{ id: string }>('/api/workflows', workflow);
    await user.client.post(`/api/workflows/${added.id}/activate`);
    const { rows } = await served.api.database.system.query<{ id: string }>(
      'select id from schedules where workflow_id = $1',
      [added.id],
    );
    await fire(rows[0]?.id ?? '', new Date(Date.now() + 3 * HOUR));
    await deliver(destination);
    expect(receiver.bodies()).toMatchObject([
      { type: 'run.missed', workflow: { id: added.id, name: 'Triage' }, schedule: null },
    ]);
  });
});

describe('the deliveries of a schedule', () => {
  const add = async (deliveries: unknown, by = user) =>
    by.client.post<Fields>('/api/schedules', { name: 'S', prompt: 'Go.', cron_expr: '@daily', deliveries });

  test('are stored, shown and replaced as a whole', async () => {
    const destination = await addDestination();
    const report = { destination_id: destination, when: 'success', subject: '{{name}}', body: null, files: ['*.csv'] };
    const added = await add([
      { ...report, when: 'success' },
      { destination_id: destination, when: 'failure' },
    ]);
    expect(added.json['deliveries']).toEqual([
      report,
      { destination_id: destination, when: 'failure', subject: null, body: null, files: [] },
    ]);
    const path = `/api/schedules/${String(added.json['id'])}`;
    expect((await user.client.patch<Fields>(path, { name: 'T' })).json['deliveries']).toHaveLength(2);
    expect((await user.client.patch<Fields>(path, { deliveries: [] })).json['deliveries']).toEqual([]);
  });

  test.each([
    ['a key that a report does not have', { body: '{{ secret }}' }],
    ['a path of one that it has', { subject: '{{output.length}}' }],
    ['a prototype', { body: '{{constructor}}' }],
    ['a glob that leads out', { files: ['../*'] }],
    ['an unknown end', { when: 'never' }],
    ['another field', { to: 'a@example.com' }],
  ])('are refused with %s', async (_what, fields) => {
    expect((await add([{ destination_id: await addDestination(), ...fields }])).status).toBe(422);
  });

  test('name a destination once for each run, and none of another organization', async () => {
    const destination = await addDestination();
    const twice = [{ destination_id: destination }, { destination_id: destination, when: 'failure' }];
    expect((await add(twice)).status).toBe(422);
    const stranger = await registerUser(served.url);
    expect((await add([{ destination_id: await addDestination(stranger) }])).status).toBe(404);
    expect((await add([{ destination_id: UNKNOWN_ID }])).status).toBe(404);
  });
});
