import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { NIL } from 'uuid';
import { z } from 'zod';
import type { Route } from '../../api/http/define-route.ts';
import { writeArchive } from '../../definition-files/index.ts';
import { actionOf } from '../../domain/audit.ts';
import { isPermissionKey, type Role, ROLES } from '../../domain/permissions/keys.ts';
import { SecretBox } from '../../db/core/secret-box.ts';
import { beginMcpSignIn, sealSignIn, storeMcpChallenge } from '../../db/mcp-servers/sign-ins.ts';
import { reportWorker } from '../../db/workers.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { upload } from '../support/file-exchange.ts';
import { forgetAttempts } from '../support/forget-attempts.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { waitUntil } from '../support/wait-until.ts';
import { lastingIds, makeIds, namedByBody, SOFT_DELETE } from './make-records.ts';
import { fill, idNames, type PathIds } from './path-ids.ts';
import { registerColleague, registerManaged } from '../support/people.ts';
import { routesThat } from './route-list.ts';
import { sampleBody } from './sample-body.ts';
import { isWrittenLetIn, isWrittenRight } from './written-rights.ts';

// Proxies are believed so that requests can come from many addresses.
const served = serveTestApi({ trustedProxies: '127.0.0.1' });
let everyday: TestUser;
beforeAll(async () => {
  everyday = await registerUser(served.url);
});
// More people register here than one address may.
beforeEach(async () => {
  await forgetAttempts(served.api.database);
});

interface Entry {
  readonly action: string;
  readonly recordType: string;
  readonly recordId: string | null;
  readonly actorId: string;
  readonly orgId: string;
  readonly outcome: string;
  readonly status: number;
  readonly ip: string;
}

/** Who sends what, where a good request of an organization's owner is another one than the sample. */
interface Setting {
  readonly user?: TestUser;
  readonly ids?: PathIds;
  readonly body?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  /** Nobody is signed in: what is sent says whose account it is about. */
  readonly isStranger?: true;
}

/** What a browser adds to requests of the server's own pages. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

const invite = async (host: TestUser, fields: Record<string, unknown> = {}) =>
  (await host.client.post<{ token: string }>(`/api/orgs/${host.orgId}/invites`, { role: 'member', ...fields })).json;

/** Adds an MCP server at which people sign in; answers its id. */
async function addInteractiveServer({ client }: TestUser): Promise<string> {
  const config = { oauth: { grant: 'authorization_code' } };
  const server = { name: 'Interactive', url: 'https://mcp.example.com/mcp', auth_type: 'oauth', config };
  return (await client.post<{ id: string }>('/api/mcp-servers', server)).json.id;
}

/** Adds an integration with which people sign in; answers its id. */
async function addSignInIntegration({ client }: TestUser): Promise<string> {
  const credentials = { client_id: 'a-client', client_secret: 'a-sample-secret' };
  const integration = { kind: 'github', name: `Signed in ${randomUUID()}`, credentials };
  return (await client.post<{ id: string }>('/api/integrations', integration)).json.id;
}

/** Adds a tool that can be run; answers its id. */
async function addUsableTool({ client }: TestUser): Promise<string> {
  const fields = { key: `usable-${randomUUID()}`, name: 'Usable', description: 'A sample.', category: 'custom' };
  const { id } = (await client.post<{ id: string }>('/api/tools', fields)).json;
  const file = async (path: string, content: string) =>
    client.send('PUT', `/api/tools/${id}/files/${path}`, { content });
  const tool = { ...fields, parameters: { type: 'object' }, effect: 'read', runtime: 'javascript' };
  await file('tool.json', JSON.stringify(tool));
  await file('main.js', 'export default async function () { return 1; }');
  return id;
}

const SETTINGS: Readonly<Record<string, (user: TestUser) => Promise<Setting>>> = {
  // The sample chat is in no project, so it cannot be shared.
  'PATCH /api/chats/{chat_id}/sharing': async () => ({ body: { shared: false } }),
  'POST /api/approvals/{approval_id}/decision': async () => ({ body: { approve: true } }),
  'POST /api/auth/register': async () => ({ body: { email: `${randomUUID()}@example.com`, password: 'a password' } }),
  'POST /api/auth/login': async ({ email, password }) => ({ body: { email, password }, isStranger: true }),
  'POST /api/auth/browser-session': async ({ email, password }) => ({
    body: { email, password },
    headers: OWN_PAGE,
    isStranger: true,
  }),
  'DELETE /api/auth/browser-session': async ({ client, email, password }) => {
    const { headers } = await client.post('/api/auth/browser-session', { email, password }, OWN_PAGE);
    return { headers: { ...OWN_PAGE, cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' }, isStranger: true };
  },
  'POST /api/auth/cli/redeem': async (host) => {
    const { token } = await invite(host, { email: `${randomUUID()}@example.com` });
    return { body: { token, device_name: 'laptop', platform: 'linux' } };
  },
  'POST /api/orgs/{org_id}/members/{user_id}/password-link': async (host) => {
    const { id } = await registerManaged(served.api, host, 'member');
    return { ids: { org_id: host.orgId, user_id: id } };
  },
  'POST /api/auth/password': async (host) => {
    const { id } = await registerManaged(served.api, host, 'member');
    const path = `/api/orgs/${host.orgId}/members/${id}/password-link`;
    const { json } = await host.client.post<{ token: string }>(path);
    return { body: { token: json.token, password: 'another password' } };
  },
  // An account that belongs to nothing else leaves nobody to be told.
  'POST /api/users/me/delete': async (host) => ({ user: await registerColleague(served.api, host, 'member') }),
  'POST /api/orgs/accept-invite': async () => {
    const { token } = await invite(await registerUser(served.url));
    return { body: { token } };
  },
  'POST /api/orgs/{org_id}/leave': async (host) => {
    const user = await registerColleague(served.api, host, 'member');
    return { user, ids: { org_id: host.orgId } };
  },
  'POST /api/tools/{tool_id}/test': async (host) => ({
    ids: { tool_id: await addUsableTool(host) },
    body: { arguments: {} },
  }),
  'POST /api/integrations/{integration_id}/oauth/start': async (host) => ({
    ids: { integration_id: await addSignInIntegration(host) },
    body: {},
  }),
  'POST /api/providers/auth/start': async () => {
    await reportWorker(served.api.database, randomUUID(), { lacks: {}, workspaceFreeBytes: null });
    return { body: { provider_type: 'claude-code', account_name: `Sample ${randomUUID()}` } };
  },
  // Its body repeats what the path says, or says nothing.
  'POST /api/providers/auth/{provider}/complete/{account_name}': async () => ({ body: {} }),
  'POST /api/mcp-servers/{mcp_id}/oauth/start': async (host) => ({ ids: { mcp_id: await addInteractiveServer(host) } }),
  'POST /api/mcp-servers/{mcp_id}/oauth/finish': async (host) => {
    const { database } = served.api;
    const [serverId, state] = [await addInteractiveServer(host), randomUUID()];
    const { orgId, id: userId } = host;
    const callback = 'https://everturn.example.com/mcp-sign-in';
    const signInId = await beginMcpSignIn(database, { orgId, serverId, userId }, callback);
    const sealed = sealSignIn(new SecretBox([TEST_SECRET_KEY]), { orgId, id: signInId }, {});
    await storeMcpChallenge(database, { orgId, signInId }, { state, sealed });
    return { ids: { mcp_id: serverId }, body: { callback_url: `${callback}?code=a-code&state=${state}` } };
  },
};

/** Parts of paths that are no ids of records. */
const NAMES: ReadonlySet<string> = new Set(['file_path', 'provider', 'account_name']);

const lastIdOf = (ids: PathIds) => Object.entries(ids).findLast(([name]) => !NAMES.has(name))?.[1] ?? null;

/** Routes that ask the engine, which these tests have not. */
const ASK_ENGINE: ReadonlySet<string> = new Set([
  'POST /api/providers/{provider_id}/test',
  'POST /api/providers/auth/start',
  'POST /api/integrations/{integration_id}/test',
  'POST /api/destinations/{destination_id}/test',
  'POST /api/tools/{tool_id}/test',
  'POST /api/mcp-servers/{mcp_id}/tools/fetch',
  'POST /api/mcp-servers/{mcp_id}/oauth/start',
  'POST /api/mcp-servers/{mcp_id}/oauth/finish',
]);

/** Returns the entries that fit a condition, in which `$1` is the value. */
async function entriesThat(condition: string, value: string): Promise<Entry[]> {
  const { rows } = await served.api.database.system.query<Entry>(
    `select action, record_type as "recordType", record_id as "recordId", actor_id as "actorId", org_id as "orgId",
      outcome, status, ip from audit_log where ${condition} order by id`,
    [value],
  );
  return rows;
}

/** Returns the entries that came to be with `work`, which may wait for such entries. Their ids grow. */
async function entriesSince(work: (made: () => Promise<Entry[]>) => Promise<unknown>): Promise<Entry[]> {
  const text = 'select id from audit_log order by id desc limit 1';
  const [last] = (await served.api.database.system.query<{ id: string }>(text)).rows;
  const made = async () => entriesThat('id > $1', last?.id ?? NIL);
  await work(made);
  return made();
}

/** Routes after which an account, a sign-in or an organization is no longer what it was. */
const ABOUT_ACCOUNTS = /^\/api\/(?:auth|orgs|users)\//;

async function prepare(title: string, route: Route): Promise<Setting & { user: TestUser; ids: PathIds }> {
  const owner = ABOUT_ACCOUNTS.test(route.path) ? await registerUser(served.url) : everyday;
  const setting = (await SETTINGS[title]?.(owner)) ?? {};
  const ids = setting.ids ?? (await makeIds(route, served.api, owner));
  if (/\/(?:restore|purge)$/.test(route.path)) {
    for (const name of idNames(route)) await SOFT_DELETE[name]?.(owner.client, ids[name] ?? '');
  }
  return { user: owner, ...setting, ids };
}

async function send(route: Route, { user, ids, body, headers }: Setting & { user: TestUser; ids: PathIds }) {
  const sent = body ?? (route.body && (await freshBody(route, user, ids)));
  if (route.upload !== undefined) return async () => uploadSample(user, route, fill(route, ids));
  const call = async () => user.client.send(route.method.toUpperCase(), fill(route, ids), sent, headers);
  return call;
}

/** A sample whose name no other record of the organization has. */
async function freshBody(route: Route, user: TestUser, ids: PathIds): Promise<Record<string, unknown>> {
  const sample = sampleBody(route.body ?? z.never(), {
    ...(await lastingIds(namedByBody(route), served.api, user)),
    ...ids,
  });
  return { ...sample, ...('name' in sample && { name: `Sample ${randomUUID()}` }) };
}

/** Uploads a file as a member would: an archive where the route takes one, with the files of its kind of definition. */
async function uploadSample(user: TestUser, { upload: taken, path }: Route, filled: string) {
  if (taken?.mediaType === undefined) {
    const form = new FormData();
    form.set('file', new Blob([`A sample ${randomUUID()}`]), 'sample.txt');
    return upload(user, filled, form);
  }
  const fields = JSON.stringify({ name: 'Sample', description: 'A sample.' });
  const tool = JSON.stringify({ name: 'Sample', description: 'A sample.', category: 'custom' });
  const skill = '---\nname: sample\ndescription: A sample.\n---\n';
  const files = path.includes('tools')
    ? { 'tool.json': tool }
    : path.includes('skills')
      ? { 'SKILL.md': skill }
      : { 'persona.json': fields };
  const archive = await buffer(writeArchive(`sample-${randomUUID()}`, new Map(Object.entries(files))));
  return upload(user, path, archive, 'application/zip');
}

const changing = routesThat(({ method }) => method !== 'get');
const audited = changing.filter(({ title, route }) => route.audit !== false && !ASK_ENGINE.has(title));

describe.each(audited)('$title', ({ title, route }) => {
  test('leaves exactly one entry in the audit log when it is done', async () => {
    const setting = await prepare(title, route);
    const call = await send(route, setting);
    let status: number | undefined;
    const made = await entriesSince(async () => ({ status } = await call()));
    expect(status).toBe(route.response.status);
    const lastId = lastIdOf(setting.ids);
    expect(made).toEqual([
      {
        action: actionOf(route),
        recordType: route.resource,
        recordId: idNames(route).some((name) => name !== 'slug') && status !== 201 ? lastId : made[0]?.recordId,
        actorId: route.access === 'public' && setting.isStranger === undefined ? made[0]?.actorId : setting.user.id,
        orgId: made[0]?.orgId,
        outcome: 'success',
        status,
        ip: expect.stringContaining('127.0.0.1'),
      },
    ]);
    if (status === 201 && route.access !== 'public') expect(made[0]?.recordId).toEqual(expect.any(String));
  });
});

describe.each(changing.filter(({ title }) => ASK_ENGINE.has(title)))('$title', ({ title, route }) => {
  test('leaves an entry that says it failed when the engine is away', async () => {
    const call = await send(route, await prepare(title, route));
    const made = await entriesSince(async (madeSoFar) => {
      expect((await call()).status).toBe(503);
      await waitUntil('the entry', async () => (await madeSoFar()).find(({ status }) => status === 503));
    });
    expect(made.map(({ action, outcome }) => [action, outcome])).toEqual([[actionOf(route), 'failed']]);
  });
});

test('what is left out of the audit log is the everyday work of chats, tasks, webhooks and sessions', () => {
  const leftOut = changing.filter(({ route }) => route.audit === false).map(({ title }) => title);
  expect(leftOut.toSorted()).toEqual([
    'DELETE /api/chats/{chat_id}/files/{file_id}',
    'DELETE /api/tasks/{task_id}',
    'PATCH /api/chats/{chat_id}/messages/{message_id}',
    'PATCH /api/chats/{chat_id}/messages/{message_id}/excluded',
    'PATCH /api/chats/{chat_id}/provider-chain',
    'PATCH /api/chats/{chat_id}/title',
    'PATCH /api/tasks/{task_id}',
    'POST /a2a/agents/{agent_id}',
    'POST /api/auth/browser-session/refresh',
    'POST /api/auth/refresh',
    'POST /api/channels/{channel_id}/events',
    'POST /api/chats',
    'POST /api/chats/{chat_id}/files',
    'POST /api/chats/{chat_id}/fork',
    'POST /api/chats/{chat_id}/interrupt',
    'POST /api/chats/{chat_id}/messages/{message_id}/withdraw',
    'POST /api/chats/{chat_id}/stream',
    'POST /api/integrations/{repo_type}/webhook/{project_id}',
    'POST /api/issues/{issue_id}/start',
    'POST /api/projects/{project_id}/sync-issues',
    'POST /api/tasks',
    'POST /api/tasks/{task_id}/interrupt',
    'POST /api/tasks/{task_id}/retry',
    'POST /api/workflows/{workflow_id}/webhook',
    'POST /mcp',
    'POST /v1/chat/completions',
    'POST /v1/responses',
  ]);
});

/** The highest role that may not call the route; undefined when each may. */
function refusedRole({ access }: Route): Role | undefined {
  if (typeof access === 'object') return ROLES.findLast((role) => !isWrittenLetIn(role, access.org));
  return isPermissionKey(access) ? ROLES.findLast((role) => !isWrittenRight(role, access)) : undefined;
}

const refusable = routesThat((route) => refusedRole(route) !== undefined).map(({ title, route }) => ({
  title,
  route,
  role: refusedRole(route) ?? 'viewer',
}));

test('a route leaves exactly one entry in the audit log when it is refused to a role', async () => {
  const owner = await registerUser(served.url);
  const expected: Partial<Entry>[] = [];
  const colleagues = new Map<Role, TestUser>();
  for (const [index, { title, route, role }] of refusable.entries()) {
    // What is refused to one user in a minute is told one by one only up to a number.
    if (index % 25 === 0) colleagues.clear();
    const colleague = colleagues.get(role) ?? (await registerColleague(served.api, owner, role));
    colleagues.set(role, colleague);
    const { id, client } = colleague;
    const path = fill(route, { org_id: owner.orgId });
    // So it is with one address.
    const headers = { 'x-forwarded-for': `192.0.2.${index % 250}` };
    const { status } = await client.send(route.method.toUpperCase(), path, route.body && {}, headers);
    expect([title, status]).toEqual([title, 403]);
    expected.push({ actorId: id, action: actionOf(route), outcome: 'denied', status: 403 });
  }
  const ofOthers = async () =>
    (await entriesThat('org_id = $1', owner.orgId)).filter(({ actorId }) => actorId !== owner.id);
  await waitUntil('the entries', async () => (await ofOthers()).length >= expected.length || undefined);
  expect(await ofOthers()).toEqual(expected.map((entry) => expect.objectContaining(entry)));
});
