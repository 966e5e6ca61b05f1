import { beforeAll, describe, expect, test } from '@jest/globals';
import { isPermissionKey, type Role, ROLES } from '../../domain/permissions/keys.ts';
import type { Route } from '../../api/http/define-route.ts';
import type { ApiClient } from '../support/api-client.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { fill } from './path-ids.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { registerColleague, registerManaged, registerOutsider } from '../support/people.ts';
import { failureOf, routesThat } from './route-list.ts';
import { isWrittenLetIn } from './written-rights.ts';

const served = serveTestApi();
const byRole = new Map<Role, ApiClient>();
let owner: TestUser;
let outsider: ApiClient;
let stranger: TestUser;
let managed: TestUser;

beforeAll(async () => {
  owner = await registerUser(served.url);
  stranger = await registerUser(served.url);
  managed = await registerManaged(served.api, owner, 'member');
  for (const role of ROLES) byRole.set(role, (await registerColleague(served.api, owner, role)).client);
  outsider = await registerOutsider(served.api);
});

/** Every route that is about the organization in its path, with every role. */
const orgRoutes = routesThat(({ access }) => typeof access === 'object').flatMap(({ title, route }) =>
  ROLES.map((role) => ({ title, route, role, least: typeof route.access === 'object' ? route.access.org : role })),
);

describe('a route about the organization in its path', () => {
  test.each(orgRoutes.filter(({ route }) => !route.path.endsWith('/leave') && route.path !== '/api/orgs/{org_id}'))(
    'is let in by the role there, wherever a $role is active: $title',
    async ({ role, route, least }) => {
      const headers = { 'x-org-id': UNKNOWN_ID };
      const path = fill(route, { org_id: owner.orgId });
      const answer = await byRole.get(role)?.send(route.method.toUpperCase(), path, route.body && {}, headers);
      const isLetIn = [200, 404, 422].includes(answer?.status ?? 0);
      const answered = isLetIn ? 'let in' : answer?.status;
      expect({ role, least, answered }).toEqual({
        role,
        least,
        answered: isWrittenLetIn(role, least) ? 'let in' : 403,
      });
    },
  );

  test.each(routesThat(({ access }) => typeof access === 'object'))(
    'answers the same 404 when it is of others and when it is unknown, to a key of another one of the caller too: $title',
    async ({ route }) => {
      const { json: key } = await owner.client.post<{ key: string }>('/api/users/me/api-keys', { name: 'k' });
      const another = await owner.client.post<{ id: string }>('/api/orgs', { name: 'Another' });
      for (const [client, orgId] of [
        [stranger.client, owner.orgId],
        [stranger.client, UNKNOWN_ID],
        [owner.client.as(key.key), another.json.id],
      ] as const) {
        const answer = await client.send(route.method.toUpperCase(), fill(route, { org_id: orgId }), route.body && {});
        expect([answer.status, answer.json]).toEqual([404, { detail: 'Organization not found' }]);
      }
    },
  );
});

describe.each(routesThat(({ rejectsManaged }) => rejectsManaged === true))('$title', ({ route }) => {
  test('answers 403 to a user whose account is managed, for an organization of others too', async () => {
    for (const orgId of [managed.orgId, UNKNOWN_ID]) {
      const path = fill(route, { org_id: orgId });
      const answer = await managed.client.send<{ detail: string }>(route.method.toUpperCase(), path, route.body && {});
      expect([answer.status, answer.json.detail]).toEqual([403, expect.stringContaining('managed')]);
    }
  });
});

/** Routes that strangers may call. One that is not named here by mistake or design fails this file. */
const PUBLIC_ROUTES = [
  'POST /api/auth/register',
  'POST /api/auth/login',
  'POST /api/auth/browser-session',
  'POST /api/auth/browser-session/refresh',
  'DELETE /api/auth/browser-session',
  'GET /api/server',
  'POST /api/auth/refresh',
  'POST /api/auth/password',
  'GET /api/auth/cli/invite/{token}',
  'POST /api/auth/cli/redeem',
  'POST /api/integrations/{repo_type}/webhook/{project_id}',
  'POST /api/workflows/{workflow_id}/webhook',
  'POST /api/channels/{channel_id}/events',
  'GET /api/orgs/invite/{token}',
  'GET /api/report-files/{token}',
  'GET /a2a/agents/{agent_id}/.well-known/agent-card.json',
  'GET /healthz',
  'GET /readyz',
];

describe('the right that a route asks for', () => {
  test('is declared for each, and is none for those only that strangers are meant to call', () => {
    const open = routesThat(({ access }) => access === 'public').map(({ title }) => title);
    expect(open.toSorted()).toEqual(PUBLIC_ROUTES.toSorted());
    const words = new Set(['public', 'signed_in', 'in_org']);
    const isDeclared = ({ access }: Route) =>
      typeof access === 'object' ? ROLES.includes(access.org) : words.has(access) || isPermissionKey(access);
    expect(routesThat((route) => !isDeclared(route))).toEqual([]);
  });
});

const inActiveOrg = ({ access }: Route) => typeof access === 'string' && access !== 'public' && access !== 'signed_in';

describe.each(routesThat(inActiveOrg))('$title', ({ route }) => {
  const method = route.method.toUpperCase();

  test('answers 403 to a user who belongs to no organization', async () => {
    const answer = await outsider.send(method, fill(route), route.body && {});
    expect(answer.status).toBe(403);
  });

  test('answers the same 404 when X-Org-Id names an organization of others and an unknown one', async () => {
    for (const orgId of [owner.orgId, UNKNOWN_ID]) {
      const headers = { 'x-org-id': orgId };
      const answer = await stranger.client.send(method, fill(route), route.body && {}, headers);
      expect([answer.status, answer.json]).toEqual([404, failureOf(route, 'Organization not found')]);
    }
  });

  test('answers 422 when X-Org-Id is not a UUID', async () => {
    const answer = await owner.client.send(method, fill(route), route.body && {}, { 'x-org-id': 'mine' });
    expect(answer.status).toBe(422);
  });
});
