import { beforeAll, describe, expect, test } from '@jest/globals';
import { answersETag, takesIfMatch } from '../../api/resources/versions.ts';
import type { Route } from '../../api/http/define-route.ts';
import { routes } from '../../api/routes.ts';
import { fireSchedule } from '../../db/schedules/firing/fire-schedule.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { type ResourceKey, resourceOf, RESOURCES } from '../../domain/resources.ts';
import type { ApiAnswer } from '../support/api-client.ts';
import { createAgent, registerUser, type TestUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { makeIds } from './make-records.ts';
import { fill } from './path-ids.ts';
import { isOfOwnApi, routesThat } from './route-list.ts';

// Every change of a record of which several people may have an editor open.

const served = serveTestApi();
let owner: TestUser;
beforeAll(async () => {
  owner = await registerUser(served.url);
});

interface Shown {
  readonly id: string;
  readonly updated_at: string;
}

/** A change of a record of each resource, in fields that every one of its kind has. */
const CHANGES: { readonly [key in ResourceKey]?: (round: number) => Record<string, unknown> } = {
  memories: (round) => ({ content: `Changed ${round}` }),
  issues: (round) => ({ title: `Changed ${round}` }),
};
const changeOf = ({ resource }: Route, round: number) =>
  CHANGES[resource]?.(round) ?? { name: `Changed ${round} ${Math.random()}` };

const changing = routesThat((route) => takesIfMatch(route) && route.method === 'patch' && route.action === undefined);
const otherwise = routesThat((route) => takesIfMatch(route) && !(route.action ?? '').endsWith('_file')).filter(
  ({ route }) => route.method !== 'patch' || route.action !== undefined,
);

async function makeRecord(route: Route) {
  const path = fill(route, await makeIds(route, served.api, owner));
  const read = async () => owner.client.get<Shown>(path);
  const change = async (round: number, ifMatch?: string) =>
    owner.client.send<Shown & { detail: unknown }>(
      'PATCH',
      path,
      changeOf(route, round),
      ifMatch === undefined ? {} : { 'if-match': ifMatch },
    );
  return { path, read, change };
}

const tagOf = ({ headers }: ApiAnswer) => headers.get('etag') ?? 'none';

test('each resource with editors can be read and changed', () => {
  const withEditors = (Object.keys(RESOURCES) as ResourceKey[]).filter((key) => resourceOf(key).hasEditors === true);
  expect(changing.map(({ route }) => route.resource).toSorted()).toEqual(withEditors.toSorted());
  for (const { route } of changing) {
    const reading = routes.find(({ method, path }) => method === 'get' && path === route.path);
    expect([route.path, answersETag(route), reading && answersETag(reading)]).toEqual([route.path, true, true]);
  }
});

describe.each(changing)('$title', ({ route }) => {
  test('changes the version that it names, and answers the new one', async () => {
    const { read, change } = await makeRecord(route);
    const before = await read();
    expect([before.status, tagOf(before)]).toEqual([200, `"${before.json.updated_at}"`]);
    const changed = await change(1, tagOf(before));
    expect([changed.status, tagOf(changed)]).toEqual([200, `"${changed.json.updated_at}"`]);
    expect(tagOf(changed)).not.toBe(tagOf(before));
    expect(tagOf(await read())).toBe(tagOf(changed));
  });

  test('changes nothing of another version, and says so', async () => {
    const { read, change } = await makeRecord(route);
    const seen = tagOf(await read());
    expect((await change(1)).status).toBe(200);
    const before = await read();
    const refused = await change(2, seen);
    expect([refused.status, refused.json.detail]).toEqual([412, expect.stringMatching(/changed since you read it/)]);
    expect((await read()).json).toEqual(before.json);
    const faulty = await change(2, 'yesterday');
    expect([faulty.status, faulty.json.detail]).toMatchObject([422, [{ loc: ['header', 'If-Match'] }]]);
    expect((await change(2, `"nonsense", W/${tagOf(before)}`)).status).toBe(200);
    expect((await change(3, '*')).status).toBe(200);
  });

  test('lets one of two changes of the same version through, when both come at once', async () => {
    const { read, change } = await makeRecord(route);
    const seen = tagOf(await read());
    const answers = await Promise.all([1, 2, 3].map(async (round) => change(round, seen)));
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '412', '412']);
  });
});

/** The path of the record itself, which the path of a change of another kind begins with. */
const recordPath = (path: string) => path.replace(/\/(?:activate|agents|deactivate|members|purge|restore)$/, '');

const BODIES: Readonly<Record<string, object>> = { set_agents: { agent_ids: [] }, set_members: { user_ids: [] } };

describe.each(otherwise)('$title', ({ route }) => {
  test('is done to the version that it names, and to no other', async () => {
    const ids = await makeIds(route, served.api, owner);
    const { path: shownAt } = changing.find((each) => each.route.path === recordPath(route.path))?.route ?? route;
    const path = fill({ ...route, path: shownAt }, ids);
    const act = async (ifMatch: string) =>
      owner.client.send<Shown & { detail: unknown }>(
        route.method.toUpperCase(),
        path + route.path.slice(shownAt.length),
        BODIES[route.action ?? ''],
        { 'if-match': ifMatch },
      );
    const seen = tagOf(await owner.client.get<Shown>(path));
    const change = changeOf({ ...route, path: shownAt }, 1);
    if (seen !== 'none') expect((await owner.client.patch(path, change)).status).toBe(200);
    const refused = await act('"2026-01-01T00:00:00.000Z"');
    expect([refused.status, refused.json.detail]).toEqual([412, expect.stringMatching(/changed since you read it/)]);
    if (seen === 'none') return;
    expect((await act(seen)).status).toBe(412);
    const now = tagOf(await owner.client.get<Shown>(path));
    // A record that was not deleted is not restored, whatever its version.
    expect((await act(now)).status).toBe(route.action === 'restore' ? 409 : route.response.status);
    if (route.method === 'delete') expect((await owner.client.get(path)).status).toBe(404);
  });
});

test('deleting a record, and whatever else changes it, has versions', () => {
  const deleting = otherwise.filter(({ route }) => route.method === 'delete' && route.action === undefined);
  expect(deleting.map(({ route }) => route.resource).toSorted()).toEqual(
    changing.map(({ route }) => route.resource).toSorted(),
  );
  expect(otherwise.map(({ route }) => route.operationId)).toEqual(
    expect.arrayContaining(['restoreProject', 'purgeProvider', 'activateSchedule', 'setPermissionGroupMembers']),
  );
});

const NOTIFY = { notify_url: 'https://hooks.example.com/everturn' };

test.each<[string, () => Promise<Record<string, unknown>>]>([
  ['/api/workflows/{workflow_id}', async () => ({ cron_expr: '@daily' })],
  ['/api/workflows/{workflow_id}', async () => NOTIFY],
  ['/api/schedules/{schedule_id}', async () => NOTIFY],
  ['/api/projects/{project_id}', async () => ({ agent_ids: [await createAgent(owner.client)] })],
])('%s has another version when what is kept beside the record was changed', async (path, makeChange) => {
  const { route } = changing.find((each) => each.route.path === path) ?? { route: undefined };
  if (route === undefined) throw new Error(`no change at ${path}`);
  const record = await makeRecord(route);
  const seen = tagOf(await record.read());
  expect((await owner.client.patch(record.path, await makeChange())).status).toBe(200);
  expect((await record.change(1, seen)).status).toBe(412);
});

const patching = routesThat((route) => route.method === 'patch' && route.action === undefined && isOfOwnApi(route));

test.each(patching)('$title leaves a record as it is when it sets no field', async ({ route }) => {
  const path = fill(route, await makeIds(route, served.api, owner));
  const first = await owner.client.patch(path, {});
  const again = await owner.client.patch(path, {});
  expect([again.status, again.json]).toEqual([first.status, first.json]);
});

const filed = routesThat((route) => takesIfMatch(route) && route.action === 'write_file');

describe.each(filed)('$title', ({ route }) => {
  async function makeFile() {
    const path = fill(route, await makeIds(route, served.api, owner)).replace(/files\/.*$/, 'files/notes.md');
    const send = async (method: 'PUT' | 'DELETE', content: string, ifMatch?: string) =>
      owner.client.send<Shown & { detail: unknown }>(
        method,
        path,
        method === 'PUT' ? { content } : undefined,
        ifMatch === undefined ? {} : { 'if-match': ifMatch },
      );
    expect((await send('PUT', 'first')).status).toBe(200);
    const read = async () => owner.client.get<Shown & { content: string }>(path);
    return { send, read };
  }

  test('writes and deletes the version of the file that it names, and no other', async () => {
    const { send, read } = await makeFile();
    const seen = tagOf(await read());
    const written = await send('PUT', 'second', seen);
    expect([written.status, tagOf(written)]).toEqual([200, `"${written.json.updated_at}"`]);
    for (const method of ['PUT', 'DELETE'] as const) {
      const refused = await send(method, 'third', seen);
      expect([refused.status, refused.json.detail]).toEqual([412, expect.stringMatching(/changed since you read it/)]);
    }
    expect((await read()).json.content).toBe('second');
    expect((await send('DELETE', '', tagOf(written))).status).toBe(204);
    // It is gone: whoever has it open does not bring it back unasked.
    expect((await send('PUT', 'third', tagOf(written))).status).toBe(412);
    expect((await send('PUT', 'third', '*')).status).toBe(200);
  });

  test('lets one of several writes of the same version through, when they come at once', async () => {
    const { send, read } = await makeFile();
    const seen = tagOf(await read());
    const answers = await Promise.all(['a', 'b', 'c'].map(async (content) => send('PUT', content, seen)));
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '412', '412']);
  });
});

test('files of tools and of skills have versions', () => {
  expect(filed.map(({ route }) => route.resource).toSorted()).toEqual(['skills', 'tools']);
});

test('a schedule keeps its version when it starts a run: nobody has changed it', async () => {
  const schedule = { name: 'Digest', agent_id: await createAgent(owner.client), prompt: 'Go.', cron_expr: '@daily' };
  const added = await owner.client.post<Shown & { next_run_at: string }>('/api/schedules', schedule);
  const now = new Date(Date.parse(added.json.next_run_at) + 1_000);
  const due = { orgId: owner.orgId, scheduleId: added.json.id };
  const fired = await fireSchedule(served.api.database, due, now, parseOrgLimits(''));
  expect(fired?.begun).toHaveLength(1);
  const later = await owner.client.get<Shown & { next_run_at: string }>(`/api/schedules/${added.json.id}`);
  expect(later.json.next_run_at).not.toBe(added.json.next_run_at);
  expect(tagOf(later)).toBe(tagOf(added));
});
