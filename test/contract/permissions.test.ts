import { beforeAll, describe, expect, test } from '@jest/globals';
import { type PermissionKey, ROLES, roleHolds, type Role } from '../../domain/permissions/index.ts';
import type { Route } from '../../api/core/define-route.ts';
import type { ApiClient } from '../support/api-client.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { fill, UNKNOWN_ID } from './path-ids.ts';
import { registerColleague, registerOutsider } from './people.ts';
import { routesThat } from './route-list.ts';

const served = serveTestApi();
const byRole = new Map<Role, ApiClient>();
let owner: TestUser;
let outsider: ApiClient;

beforeAll(async () => {
  owner = await registerUser(served.url);
  for (const role of ROLES) byRole.set(role, (await registerColleague(served.api, owner, role)).client);
  outsider = await registerOutsider(served.api);
});

/** Every route that needs a permission key, with every role. */
const doors = routesThat(({ access }) => access.includes('.')).flatMap(({ title, route }) =>
  ROLES.map((role) => ({ title, route, role, key: route.access as PermissionKey })),
);

async function knock(role: Role, { method, ...route }: Route) {
  return byRole.get(role)?.send<{ detail: string }>(method.toUpperCase(), fill(route), route.body && {});
}

describe('a route that needs a permission key', () => {
  test.each(doors.filter(({ role, key }) => !roleHolds(role, key)))(
    'answers 403 to a $role, who lacks $key: $title',
    async ({ role, route, key }) => {
      const answer = await knock(role, route);
      expect(answer?.status).toBe(403);
      expect(answer?.json.detail).toContain(key);
    },
  );

  test.each(doors.filter(({ role, key }) => roleHolds(role, key)))(
    'lets a $role in, who holds $key: $title',
    async ({ role, route }) => {
      const answer = await knock(role, route);
      // Past the door: the id is unknown, the body empty, or all is well.
      expect([200, 404, 422]).toContain(answer?.status);
    },
  );
});

describe.each(routesThat(({ access }) => access !== 'public' && access !== 'signed_in'))('$title', ({ route }) => {
  const method = route.method.toUpperCase();

  test('answers 403 to a user who belongs to no organization', async () => {
    const answer = await outsider.send(method, fill(route), route.body && {});
    expect(answer.status).toBe(403);
  });

  test('answers the same 404 when X-Org-Id names an organization of others and an unknown one', async () => {
    const stranger = await registerUser(served.url);
    for (const orgId of [owner.orgId, UNKNOWN_ID]) {
      const headers = { 'x-org-id': orgId };
      const answer = await stranger.client.send(method, fill(route), route.body && {}, headers);
      expect([answer.status, answer.json]).toEqual([404, { detail: 'Organization not found' }]);
    }
  });

  test('answers 422 when X-Org-Id is not a UUID', async () => {
    const answer = await owner.client.send(method, fill(route), route.body && {}, { 'x-org-id': 'mine' });
    expect(answer.status).toBe(422);
  });
});
