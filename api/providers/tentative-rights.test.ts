import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { say } from '../../test/support/scripted-model/behaviour.ts';
import { startTestInstance, type TestInstance } from '../../test/support/test-instance.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
  instance.model.script(({ model }) =>
    model.startsWith('held-') ? say('yes', { hold: { gate: model, after: 0 } }) : undefined,
  );
});
afterAll(async () => instance.close());

/** Has a member add an account, changes something while it is tested, and returns the answer. */
async function addWhile(
  role: 'admin' | 'member',
  change: (people: { owner: TestUser; maker: TestUser; letAnswer: () => void }) => Promise<void>,
  fields: Record<string, unknown> = {},
) {
  const owner = await registerUser(instance.api.url);
  const maker = await registerColleague(instance.api, owner, role);
  const model = `held-${randomUUID()}`;
  const letAnswer = () => instance.model.release(model);
  const adding = maker.client.post<{ shared: boolean }>('/api/providers', {
    provider_type: 'openai-compatible',
    name: 'Tried',
    base_url: instance.model.url,
    model_name: model,
    credentials: { api_key: 'sk-test-0123456789abcdef' },
    test: true,
    ...fields,
  });
  await instance.model.waitForRequest((request) => request.model === model);
  await change({ owner, maker, letAnswer });
  const stored = async () => {
    const { system } = instance.api.database;
    return (await system.query('select from provider_accounts where model_name = $1', [model])).rowCount;
  };
  const storedMeanwhile = await stored();
  letAnswer();
  const { status, json } = await adding;
  return { status, json, storedMeanwhile, stored: await stored() };
}

type Change = Parameters<typeof addWhile>[1];
const remove: Change = async ({ owner, maker }) =>
  expectStatus(204, await owner.client.delete(`/api/orgs/${owner.orgId}/members/${maker.id}`));
const giveRole =
  (role: string): Change =>
  async ({ owner, maker }) =>
    expectStatus(200, await owner.client.patch(`/api/orgs/${owner.orgId}/members/${maker.id}`, { role }));
const deleteAccount: Change = async ({ maker }) =>
  expectStatus(204, await maker.client.post('/api/users/me/delete', { current_password: maker.password }));
const restrict =
  (...permissions: readonly string[]): Change =>
  async ({ owner, maker }) =>
    putInGroup(owner, maker, { permissions });
const allowOthers: Change = async ({ owner, maker }) => {
  const other = await createProvider(owner.client, instance.model.url);
  await putInGroup(owner, maker, { permissions: ['providers.manage'], capabilities: { provider_ids: [other] } });
};

async function putInGroup(owner: TestUser, member: TestUser, fields: Record<string, unknown>): Promise<void> {
  const groups = '/api/permissions/groups';
  const { json } = await owner.client.post<{ id: string }>(groups, { name: 'Group', ...fields });
  expectStatus(200, await owner.client.send('PUT', `${groups}/${json.id}/members`, { user_ids: [member.id] }));
}

function expectStatus(expected: number, { status }: { status: number }): void {
  expect(status).toBe(expected);
}

describe('an account whose maker loses the right to it while it is tested', () => {
  test.each([
    { what: 'an admin is removed', role: 'admin', change: remove, status: 403 },
    { what: 'an admin becomes a viewer', role: 'admin', change: giveRole('viewer'), status: 403 },
    { what: 'an admin, who shares it, becomes a member', role: 'admin', change: giveRole('member'), status: 403 },
    { what: 'an admin deletes their account', role: 'admin', change: deleteAccount, status: 401 },
    { what: 'a member is removed', role: 'member', change: remove, status: 403 },
    { what: 'a member is allowed certain accounts only', role: 'member', change: allowOthers, status: 403 },
    { what: 'a member loses the permission', role: 'member', change: restrict('providers.view'), status: 403 },
  ] as const)('is not kept when $what', async ({ role, change, status }) => {
    expect(await addWhile(role, change)).toMatchObject({ status, stored: 0 });
  });

  test.each([
    { what: 'is removed', change: remove },
    { what: 'deletes their account', change: deleteAccount },
  ])('is removed at once when the maker $what', async ({ change }) => {
    expect(await addWhile('admin', change)).toMatchObject({ storedMeanwhile: 0 });
  });

  test('is not kept when the removal is stored between the answer and the end', async () => {
    const removeSlowly: Change = async ({ owner, maker, letAnswer }) => {
      const removal = await instance.api.database.system.connect();
      await removal.query('begin');
      await removal.query('delete from memberships where org_id = $1 and user_id = $2', [owner.orgId, maker.id]);
      letAnswer();
      await waitUntil('the end of the test to wait for the removal', async () => {
        const { rows } = await instance.api.database.system.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows[0];
      });
      await removal.query('commit');
      removal.release();
    };
    expect(await addWhile('admin', removeSlowly)).toMatchObject({ status: 403, stored: 0 });
  });
});

describe('an account whose maker keeps the right to it', () => {
  test.each([
    { what: 'an admin becomes a member', role: 'admin', change: giveRole('member'), shared: false },
    { what: 'a member becomes an admin', role: 'member', change: giveRole('admin'), shared: false },
    { what: 'a member is put into a group', role: 'member', change: restrict('providers.manage'), shared: false },
  ] as const)('is kept as it was asked for when $what', async ({ role, change, shared }) => {
    expect(await addWhile(role, change, { shared })).toMatchObject({ status: 201, json: { shared }, stored: 1 });
  });
});

test('an account that is tested again stays disabled when its tester has lost the right in the meantime', async () => {
  const owner = await registerUser(instance.api.url);
  const tester = await registerColleague(instance.api, owner, 'admin');
  const model = `held-${randomUUID()}`;
  const id = await createProvider(owner.client, instance.model.url, { model_name: model });
  const { system } = instance.api.database;
  await system.query('update provider_accounts set disabled_at = now() where id = $1', [id]);
  const testing = tester.client.post(`/api/providers/${id}/test`);
  await instance.model.waitForRequest((request) => request.model === model);
  await remove({ owner, maker: tester, letAnswer: () => undefined });
  instance.model.release(model);
  expect((await testing).status).toBe(403);
  const { rows } = await system.query(
    'select disabled_at is not null as is_disabled from provider_accounts where id = $1',
    [id],
  );
  expect(rows).toEqual([{ is_disabled: true }]);
});
