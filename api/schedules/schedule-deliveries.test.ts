import { beforeEach, describe, expect, test } from '@jest/globals';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveReportReceiver } from '../../test/support/report-receiver.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { UNKNOWN_ID } from '../../test/support/unknown-id.ts';

type Fields = Record<string, unknown>;

const served = serveTestApi({ privateHosts: '127.0.0.1:*' });
const receiver = serveReportReceiver(served);
let user: TestUser;
beforeEach(async () => {
  user = await registerUser(served.url);
});

const addDestination = async (by = user) => receiver.addDestination(by);

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
