import { beforeAll, describe, expect, test } from '@jest/globals';
import { RESOURCE_OF_ID } from '../../domain/resources.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { registerColleague } from '../support/people.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { makeIds, SOFT_DELETE } from './make-records.ts';
import { routesThat } from './route-list.ts';

// Every record that can be restored, as the list of deleted ones shows it, and to whom.

const served = serveTestApi();
let owner: TestUser;
let viewer: TestUser;
let colleague: TestUser;
beforeAll(async () => {
  owner = await registerUser(served.url);
  viewer = await registerColleague(served.api, owner, 'viewer');
  colleague = await registerColleague(served.api, owner, 'member');
});

interface Shown {
  readonly id: string;
  readonly deleted_at: string | null;
  readonly deleted_by?: string | null;
}

const restorable = Object.entries(SOFT_DELETE).map(([idName, remove]) => {
  const resource = RESOURCE_OF_ID[idName as keyof typeof RESOURCE_OF_ID];
  const [list] = routesThat(
    (route) =>
      route.resource === resource && route.method === 'get' && route.action === undefined && !/\{/.test(route.path),
  );
  const [item] = routesThat((route) => route.resource === resource && route.path.endsWith(`/{${idName}}/restore`));
  if (list === undefined || item === undefined) throw new Error(`no list of deleted ${resource}`);
  return { resource, idName, remove, listPath: list.route.path, restoring: item.route };
});

describe.each(restorable)('deleted $resource', ({ resource, idName, remove, listPath, restoring }) => {
  const deletedFor = async ({ client }: TestUser) => client.get<Shown[]>(`${listPath}?deleted=true`);

  test('say when and by whom they were deleted, until they are restored', async () => {
    const { [idName]: id = '' } = await makeIds(restoring, served.api, owner);
    const before = Date.now();
    await remove(owner.client, id);
    const shown = (await deletedFor(owner)).json.find((each) => each.id === id);
    const deletedAt = Date.parse(shown?.deleted_at ?? '');
    expect(Math.abs(deletedAt - before)).toBeLessThan(60_000);
    if (resource === 'chats')
      expect(shown).toMatchObject({ purge_at: new Date(deletedAt + 30 * 86_400_000).toISOString() });
    else expect(shown).toMatchObject({ deleted_by: owner.id });
    const restored = await owner.client.patch<Shown>(restoring.path.replace(`{${idName}}`, id));
    expect([restored.status, restored.json.deleted_at, restored.json.deleted_by ?? null]).toEqual([200, null, null]);
    expect((await deletedFor(owner)).json.map((each) => each.id)).not.toContain(id);
  });

  test('are listed for those only who may restore them', async () => {
    const { [idName]: id = '' } = await makeIds(restoring, served.api, owner);
    await remove(owner.client, id);
    const isOwn = resource === 'chats' || resource === 'providers';
    const { status, json } = await deletedFor(viewer);
    expect([status, json]).toEqual(
      resource === 'chats' ? [200, []] : [403, { detail: expect.stringMatching(/manage/) }],
    );
    // A shared account is shown to those who may use it, too.
    const toColleague = (await deletedFor(colleague)).json.map((each) => each.id);
    expect(toColleague.includes(id)).toBe(resource !== 'chats');
    const again = await colleague.client.patch(restoring.path.replace(`{${idName}}`, id));
    expect(again.status === 200).toBe(!isOwn);
  });
});
