import { beforeEach, describe, expect, test } from '@jest/globals';
import { fireSchedule } from '../../db/schedules/firing/fire-schedule.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { createAgent, type TestUser } from '../../test/support/factories.ts';
import { json } from '../../test/support/outside-server.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveReportedRuns, type ShownReport } from '../../test/support/reported-runs.ts';

type Fields = Record<string, unknown>;

const reported = serveReportedRuns();
const { served, receiver, addDestination, deliver, end, undelivered } = reported;
const { reports } = receiver;
let user: TestUser;
beforeEach(() => {
  ({ user } = reported);
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
    (await user.client.get<ShownReport[]>(`/api/destinations/${id}/deliveries`)).json;

  test('is reported once for all the times that were missed together, however many processes see them', async () => {
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
    const report = {
      type: 'run.missed',
      workflow: null,
      schedule: { id: schedule, name: 'Weekly' },
      missed: { kind: 'missed', at: missed, reason },
      report: { subject: 'Weekly: missed', body: reason, files: [] },
    };
    expect(receiver.bodies()).toMatchObject([report, report]);
  });

  test('is reported when it pauses itself, though its owner, who has set that, has left', async () => {
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

  test('is reported beside the report of the failed run after which it pauses', async () => {
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

  test('is not reported when a person has paused it, it has no further times, or other runs were in the way', async () => {
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

  test('is reported to the second destination and its owner when it is abandoned, and is sent again', async () => {
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

  test('is reported for the times of a workflow', async () => {
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
