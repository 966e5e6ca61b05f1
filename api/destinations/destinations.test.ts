import { beforeEach, describe, expect, test } from '@jest/globals';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

type Fields = Record<string, unknown>;

const served = serveTestApi();
const PATH = '/api/destinations';
const HOOK = { name: 'Archive', kind: 'webhook', config: { url: 'https://hooks.example.com/reports' } };
let user: TestUser;
beforeEach(async () => {
  user = await registerUser(served.url);
});

const add = async (fields: Fields, by = user) => by.client.post<Fields>(PATH, fields);
const idOf = ({ json }: { readonly json: Fields }) => String(json['id']);

async function addIntegration(kind: string, by = user): Promise<string> {
  const smtp = { base_url: 'smtps://mail.example.com', settings: { from: 'agents@example.com' }, credentials: {} };
  const fields = kind === 'smtp' ? smtp : { credentials: { token: 'a-token' } };
  const { status, json } = await by.client.post<Fields>('/api/integrations', { kind, name: kind, ...fields });
  expect(status).toBe(201);
  return String(json['id']);
}

describe('a destination', () => {
  test('is added, listed, changed and deleted, and its secret is never shown', async () => {
    const added = await add({ ...HOOK, secret: 'the-signing-secret' });
    expect([added.status, added.json]).toMatchObject([
      201,
      { ...HOOK, owner_id: user.id, integration_id: null, has_secret: true, is_active: true, paused_reason: null },
    ]);
    expect(JSON.stringify(added.json)).not.toContain('the-signing-secret');
    const path = `${PATH}/${idOf(added)}`;
    expect((await user.client.get(PATH)).json).toEqual([added.json]);
    const changed = await user.client.patch<Fields>(path, { name: 'Other', is_active: false, secret: null });
    expect(changed.json).toMatchObject({ name: 'Other', config: HOOK.config, has_secret: false, is_active: false });
    expect((await user.client.patch(path, { is_active: true })).json).toMatchObject({ is_active: true });
    expect((await user.client.delete(path)).status).toBe(204);
    expect((await user.client.get(path)).status).toBe(404);
    const { rows } = await served.api.database.system.query('select from webhook_targets where org_id = $1', [
      user.orgId,
    ]);
    expect(rows).toEqual([]);
  });

  test('that was paused by failures resumes with another configuration, and one that a person has paused does not', async () => {
    const added = await add(HOOK);
    const path = `${PATH}/${idOf(added)}`;
    await served.api.database.system.query(
      "update webhook_targets set paused_at = now(), pause_reason = 'It is gone' where destination_id = $1",
      [idOf(added)],
    );
    expect((await user.client.get(path)).json).toMatchObject({ is_active: false, paused_reason: 'It is gone' });
    const config = { url: 'https://hooks.example.com/others' };
    expect((await user.client.patch(path, { config })).json).toMatchObject({ is_active: true, paused_reason: null });
    await user.client.patch(path, { is_active: false });
    expect((await user.client.patch(path, { config: HOOK.config })).json).toMatchObject({ is_active: false });
  });

  test.each([
    ['email', 'smtp', { to: ['Ada <ada@example.com>', 'bob@example.com'], cc: ['eve@example.com'] }],
    ['slack', 'slack', { channel: 'C024BE91L' }],
    ['telegram', 'telegram', { chat: '-1001234567890' }],
  ])('of the kind %s uses an integration of the kind %s', async (kind, of, config) => {
    const integration_id = await addIntegration(of);
    const added = await add({ name: 'Sales', kind, config, integration_id });
    expect([added.status, added.json]).toMatchObject([201, { kind, config, integration_id }]);
    expect((await add({ name: 'None', kind, config })).status).toBe(422);
    expect((await user.client.delete(`/api/integrations/${integration_id}`)).status).toBe(204);
    expect((await user.client.get(`${PATH}/${idOf(added)}`)).json).toMatchObject({ integration_id: null });
  });

  test('uses no integration of another kind or organization', async () => {
    const config = { channel: 'C024BE91L' };
    const stranger = await registerUser(served.url);
    const fields = { name: 'Sales', kind: 'slack', config };
    expect((await add({ ...fields, integration_id: await addIntegration('telegram') })).status).toBe(422);
    expect((await add({ ...fields, integration_id: await addIntegration('slack', stranger) })).status).toBe(404);
    expect((await add({ ...HOOK, integration_id: await addIntegration('slack') })).status).toBe(422);
  });

  test.each([
    ['that leads inside', 'webhook', { url: 'http://127.0.0.1/x' }],
    ['that leads to a service of the cloud', 'webhook', { url: 'http://169.254.169.254/latest' }],
    ['whose address has a second line', 'webhook', { url: 'https://hooks.example.com/x\r\nx-header: y' }],
    ['with a field of another kind', 'webhook', { url: HOOK.config.url, channel: 'C024BE91L' }],
    ['without an address', 'webhook', {}],
    ['without recipients', 'email', { to: [] }],
    ['with a header in an address', 'email', { to: ['a@example.com\r\nBcc: b@example.com'] }],
    ['with a header in a name', 'email', { to: ['Ada\r\nBcc: b@example.com <a@example.com>'] }],
    ['with two addresses in one', 'email', { to: ['a@example.com, b@example.com'] }],
    ['with 51 recipients', 'email', { to: Array(26).fill('a@example.com'), cc: Array(25).fill('b@example.com') }],
    ['with 10,000 recipients', 'email', { to: Array(10_000).fill('a@example.com') }],
    ['with the name of a channel', 'slack', { channel: '#general' }],
    ['whose chat is a path', 'telegram', { chat: '1/../2' }],
    ['of an unknown kind', 'pigeon', {}],
  ])('%s is not added', async (_what, kind, config) => {
    const of = { email: 'smtp', slack: 'slack', telegram: 'telegram' }[kind];
    const integration = of === undefined ? {} : { integration_id: await addIntegration(of) };
    expect((await add({ name: 'Sales', kind, config, ...integration })).status).toBe(422);
    expect((await user.client.get(PATH)).json).toEqual([]);
  });

  test('has quiet hours, which are changed and taken away', async () => {
    const nights = { timezone: 'Europe/Berlin', from: '22:00', to: '07:00' };
    const added = await add({ ...HOOK, quiet_hours: nights });
    expect(added.json).toMatchObject({ quiet_hours: { ...nights, days: [] } });
    const path = `${PATH}/${idOf(added)}`;
    const changed = { ...nights, days: ['sat', 'sun'] };
    expect((await user.client.patch(path, { quiet_hours: changed })).json).toMatchObject({ quiet_hours: changed });
    expect((await user.client.patch(path, { quiet_hours: null })).json).toMatchObject({ quiet_hours: null });
    for (const faulty of [
      { timezone: 'Mars/Base' },
      { from: '24:00' },
      { to: '7:00' },
      { to: '22:00' },
      { days: ['someday'] },
    ])
      expect((await user.client.patch(path, { quiet_hours: { ...nights, ...faulty } })).status).toBe(422);
  });

  test('collects reports for up to a day', async () => {
    const added = await add({ ...HOOK, digest_minutes: 60 });
    expect(added.json).toMatchObject({ digest_minutes: 60 });
    const path = `${PATH}/${idOf(added)}`;
    expect((await user.client.patch(path, { digest_minutes: null })).json).toMatchObject({ digest_minutes: null });
    for (const digest_minutes of [0, 1_441, 1.5])
      expect((await user.client.patch(path, { digest_minutes })).status).toBe(422);
  });

  test('has a name of its own, and there are no more than the organization may have', async () => {
    expect((await add(HOOK)).status).toBe(201);
    expect((await add({ ...HOOK, name: 'ARCHIVE' })).status).toBe(409);
    await served.api.database.system.query(
      `insert into destinations (id, org_id, name, kind, config)
        select gen_random_uuid(), $1, 'Hook ' || number, 'webhook', '{}' from generate_series(2, 99) number`,
      [user.orgId],
    );
    expect((await add({ ...HOOK, name: 'b' })).status).toBe(201);
    const refused = await add({ ...HOOK, name: 'c' });
    expect([refused.status, refused.json]).toMatchObject([
      409,
      { detail: expect.stringContaining('100 destinations') },
    ]);
  });

  test('is not deleted while something is reported to it, which the refusal names', async () => {
    const id = idOf(await add(HOOK));
    const reported = { agent_id: await createAgent(user.client), deliveries: [{ destination_id: id, when: 'always' }] };
    const refusal = async () => (await user.client.delete<{ detail: string }>(`${PATH}/${id}`)).json.detail;
    for (const name of ['Weekly', 'Daily'])
      await user.client.post('/api/schedules', { ...reported, name, prompt: 'Go.', interval_minutes: 60 });
    expect(await refusal()).toContain('it is named by the schedules "Daily" and "Weekly".');
    await user.client.post('/api/workflows', { ...reported, name: 'Triage', prompt_template: 'Go.' });
    expect(await refusal()).toContain('it is named by the workflow "Triage".');
    expect((await user.client.delete(`${PATH}/${id}?force=true`)).status).toBe(204);
  });

  test('by HTTP is for those who may set webhooks', async () => {
    const colleague = await registerColleague(served.api, user, 'member');
    const permissions = ['integrations.manage'];
    const group = await user.client.post<{ id: string }>('/api/permissions/groups', { name: 'Few', permissions });
    await user.client.send('PUT', `/api/permissions/groups/${group.json.id}/members`, { user_ids: [colleague.id] });
    expect((await add(HOOK, colleague)).status).toBe(403);
    const integration_id = await addIntegration('slack');
    const fields = { name: 'Sales', kind: 'slack', config: { channel: 'C024BE91L' }, integration_id };
    expect((await add(fields, colleague)).status).toBe(201);
  });
});
