import { beforeEach, describe, expect, test } from '@jest/globals';
import { WEEKDAYS } from '../../domain/sending-times.ts';
import type { TestUser } from '../../test/support/factories.ts';
import { json } from '../../test/support/outside-server.ts';
import { serveReportedRuns } from '../../test/support/reported-runs.ts';
import { storeRuns } from '../../test/support/store-runs.ts';

type Fields = Record<string, unknown>;

const reported = serveReportedRuns();
const { served, receiver, addDestination, deliver, storeRun, end, shownOf, undelivered } = reported;
const { reports } = receiver;
let user: TestUser;
beforeEach(() => {
  ({ user } = reported);
});

test('quiet hours delay a report, which is not an attempt, until they are over', async () => {
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
  const [deferred] = await shownOf(runId);
  expect(deferred).toMatchObject({ status: 'pending', attempts: 0, error: null });
  expect(Date.parse(String(deferred?.['next_attempt_at']))).toBeGreaterThan(Date.now() + 4 * 86_400_000);
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

  test('is one message for what was reported in the meantime, the same for each attempt; what comes later has its own', async () => {
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

  test('that is abandoned is reported to the second destination by a report for each of its reports', async () => {
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
