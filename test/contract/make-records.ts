import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { z } from 'zod';
import type { Route } from '../../api/http/define-route.ts';
import { routes } from '../../api/routes.ts';
import { SecretBox } from '../../db/core/secret-box.ts';
import { withSystemTransaction } from '../../db/core/transactions.ts';
import { createDevice } from '../../db/device-tokens.ts';
import { beginSignIn, sealSignIn, storeAddress, storeSignedIn } from '../../db/providers/sign-ins.ts';
import { openSession } from '../../db/sessions.ts';
import { createTask } from '../../db/tasks/add-tasks.ts';
import { policyOf } from '../../domain/permissions/policy.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { RESOURCE_OF_ID, type ResourceKey, resourceOf } from '../../domain/resources.ts';
import type { ApiClient } from '../support/api-client.ts';
import { createProvider, type TestUser, uploadFile } from '../support/factories.ts';
import { TEST_SECRET_KEY, type TestApi } from '../support/test-api.ts';
import { storeDelivery } from '../support/stored-delivery.ts';
import { storeWorkspaceFile } from '../support/stored-workspace.ts';
import { storeWaitingCall } from '../support/waiting-call.ts';
import { fill, idNames, type PathIds } from './path-ids.ts';
import { fieldsOf, sampleBody } from './sample-body.ts';

/** Limits under which one user makes as many organizations as the routes that name one. */
export const MANY_ORGS = 'orgs=1000';

async function addSlack({ client }: TestUser): Promise<string> {
  const slack = { kind: 'slack', name: `Slack ${randomUUID()}`, credentials: { token: 'xoxb-a-sample' } };
  return (await client.post<{ id: string }>('/api/integrations', slack)).json.id;
}

/**
 * Makes the record that an id of this name is of, where that takes more than a sample sent to the route that adds one.
 */
const MAKE: Readonly<Record<string, (setting: Setting) => Promise<string>>> = {
  // Below /a2a there are published ones only, which members do not publish.
  agent_id: async (setting) => {
    const id = await addRecord('agents', setting);
    if (setting.path.startsWith('/a2a/'))
      await setting.api.database.system.query('update agents set is_published = true where id = $1', [id]);
    return id;
  },
  provider_id: ({ keeper }) => createProvider(keeper.client, 'https://models.example.com/v1'),
  profile_id: async ({ keeper }) => {
    const profile = { name: `Sample ${randomUUID()}`, provider_type: 'openai-compatible' };
    return (await keeper.client.post<{ id: string }>('/api/model-profiles', profile)).json.id;
  },
  integration_id: async ({ keeper, path }) => {
    if (path.startsWith('/api/channels')) return addSlack(keeper);
    const fields = { kind: 'http', name: `Sample ${randomUUID()}`, base_url: 'https://tracker.example.com' };
    const integration = { ...fields, credentials: { api_key: 'a-sample-key' } };
    return (await keeper.client.post<{ id: string }>('/api/integrations', integration)).json.id;
  },
  channel_id: async (setting) => {
    const { client } = setting.keeper;
    const integration_id = await addSlack(setting.keeper);
    const agent_id = setting.ids['agent_id'] ?? (await makeId('agent_id', setting));
    const fields = {
      name: `Sample ${randomUUID()}`,
      kind: 'slack',
      agent_id,
      integration_id,
      secret: 'a sample secret',
    };
    return (await client.post<{ id: string }>('/api/channels', fields)).json.id;
  },
  document_id: async (setting) => {
    const baseId = setting.ids['knowledge_base_id'] ?? (await makeId('knowledge_base_id', setting));
    // Unlike others, one that was uploaded has a file.
    const form = new FormData();
    form.set('file', new Blob([`A sample ${randomUUID()}`]), 'sample.txt');
    const path = `/api/knowledge-bases/${baseId}/documents/upload`;
    return (await setting.keeper.client.upload<{ id: string }>(path, form)).json.id;
  },
  // Its webhook starts runs.
  workflow_id: async (setting) => {
    const agent_id = setting.ids['agent_id'] ?? (await makeId('agent_id', setting));
    const { client } = setting.keeper;
    const fields = { name: 'Sample', agent_id, trigger_type: 'webhook', prompt_template: 'Go.' };
    const { id } = (await client.post<{ id: string }>('/api/workflows', fields)).json;
    await client.post(`/api/workflows/${id}/activate`);
    return id;
  },
  schedule_id: async (setting) => {
    const agent_id = setting.ids['agent_id'] ?? (await makeId('agent_id', setting));
    const fields = { name: 'Sample', agent_id, cron_expr: '0 9 * * mon', prompt: 'Go.' };
    return (await setting.keeper.client.post<{ id: string }>('/api/schedules', fields)).json.id;
  },
  run_id: async (setting) => {
    if (setting.path.startsWith('/api/schedules/')) return runOfSchedule(setting);
    const workflowId = setting.ids['workflow_id'] ?? (await makeId('workflow_id', setting));
    return (await trigger(setting.keeper, workflowId)).run_id;
  },
  // A viewer may have one from the time before.
  delivery_id: async (setting) => {
    const { api, user, ids } = setting;
    const { orgId, id: userId } = user;
    const { run_id } = ids;
    if (run_id !== undefined) {
      const destination_id = await makeId('destination_id', { ...setting, ids: {} });
      return storeDelivery(api, { orgId, userId, owner: { destination_id }, subject: { run_id } });
    }
    if (setting.path.startsWith('/api/destinations/')) {
      const destination_id = ids['destination_id'] ?? (await makeId('destination_id', setting));
      const subject = {
        run_id: (await trigger(setting.keeper, await makeId('workflow_id', { ...setting, ids: {} }))).run_id,
      };
      return storeDelivery(api, { orgId, userId, owner: { destination_id }, subject });
    }
    if (setting.path.includes('/workflows/')) {
      const workflow_id = ids['workflow_id'] ?? (await makeId('workflow_id', setting));
      const subject = await trigger(setting.keeper, workflow_id);
      return storeDelivery(api, { orgId, userId, owner: { workflow_id }, subject });
    }
    if (setting.path.startsWith('/api/schedules/')) {
      const schedule_id = ids['schedule_id'] ?? (await makeId('schedule_id', setting));
      const path = `/api/schedules/${schedule_id}/trigger`;
      const subject = (await setting.keeper.client.post<{ run_id: string }>(path)).json;
      return storeDelivery(api, { orgId, userId, owner: { schedule_id }, subject });
    }
    const chat_id = ids['chat_id'] ?? (await makeId('chat_id', setting));
    const subject = { message_id: await storeMessage(api, user, chat_id) };
    if (!setting.path.includes('/webhook/')) {
      const destination_id = await makeId('destination_id', { ...setting, ids: {} });
      const { task_id } = ids;
      const of = task_id === undefined ? { chat_id } : { task_id };
      return storeDelivery(api, { orgId, userId, owner: { destination_id }, subject: { ...subject, ...of } });
    }
    return storeDelivery(api, { orgId, userId, owner: { chat_id }, subject });
  },
  chat_id: async (setting) => {
    const workflowId = setting.ids['workflow_id'];
    if (workflowId === undefined || !setting.path.includes('/conversations/')) return addRecord('chats', setting);
    const { run_id } = await trigger(setting.user, workflowId);
    const path = `/api/workflows/${workflowId}/runs/${run_id}`;
    return (await setting.user.client.get<{ chat_id: string }>(path)).json.chat_id;
  },
  session_id: async ({ api, user }) =>
    (await openSession(api.database.system, { userId: user.id, lifetimeSeconds: 3_600 })).id,
  org_id: async ({ user }) => {
    const { status, json } = await user.client.post<{ id: string }>('/api/orgs', { name: 'Another' });
    expect(status).toBe(201);
    return json.id;
  },
  user_id: ({ api, user, ids }) => addMember(api, ids['org_id'] ?? user.orgId),
  invite_id: async ({ keeper, ids }) => (await invite(keeper, ids['org_id'])).id,
  token: async ({ keeper, ids }) => (await invite(keeper, ids['org_id'])).token,
  device_id: ({ api, user, ids }) =>
    storeDevice(api, { orgId: ids['org_id'] ?? user.orgId, userId: ids['user_id'] ?? user.id }),
  file_path: async ({ keeper, ids }) => {
    const owner = ids['skill_id'] === undefined ? `tools/${ids['tool_id']}` : `skills/${ids['skill_id']}`;
    await keeper.client.send('PUT', `/api/${owner}/files/notes/sample.md`, { content: 'a sample' });
    return 'notes/sample.md';
  },
  path: async (setting) => {
    const chatId = setting.ids['chat_id'] ?? (await makeId('chat_id', setting));
    const { orgId } = setting.user;
    return storeWorkspaceFile(setting.api.database, { orgId, chatId }, { path: 'notes/sample.md' });
  },
  // There is a builtin tool and a builtin skill of the one key, and a persona of the other.
  key: async ({ path }) => (path.includes('/personas/') ? 'assistant' : 'agent_spawn'),
  slug: async () => 'socratic-tutor',
  model: (setting) => makeId('agent_id', setting),
  repo_type: async () => 'github',
  provider: async () => 'claude-code',
  account_name: (setting) => storeSignIn(setting),
  actor_id: async ({ user }) => user.id,
  record_id: (setting) => makeId('agent_id', setting),
  file_id: async (setting) => {
    const chatId = setting.ids['chat_id'] ?? (await makeId('chat_id', setting));
    return uploadFile(setting.user.client, chatId);
  },
  entry_id: async (setting) => {
    const projectId = setting.ids['project_id'] ?? (await makeId('project_id', setting));
    const { json } = await setting.keeper.client.get<readonly { id: string }[]>(`/api/projects/${projectId}/logs`);
    return json[0]?.id ?? '';
  },
  sync_id: async (setting) => {
    const projectId = setting.ids['project_id'] ?? (await makeId('project_id', setting));
    const { client } = setting.keeper;
    await client.patch(`/api/projects/${projectId}`, { repo_url: 'https://github.com/example/website' });
    return (await client.post<{ id: string }>(`/api/projects/${projectId}/sync-issues`)).json.id;
  },
  // A viewer may have tasks from the time before.
  task_id: async (setting) => {
    const chatId = setting.ids['chat_id'] ?? (await makeId('chat_id', setting));
    const { database } = setting.api;
    const task = {
      chatId,
      title: 'Sample',
      description: '',
      assignedAgentId: null,
      priority: 'low',
      dependsOn: [],
      limits: parseOrgLimits(''),
    } as const;
    const owner = { orgId: setting.user.orgId, userId: setting.user.id, policy: policyOf('owner', []) };
    return (await createTask(database, owner, task)).id;
  },
  // In a chat of its own: its turn stays open. A viewer may have one from the time before.
  approval_id: async (setting) => {
    const chatId = await makeId('chat_id', setting);
    const { user, api } = setting;
    const waiting = { orgId: user.orgId, userId: user.id, chatId };
    return (await storeWaitingCall(api.database, waiting)).approvalId;
  },
  // It stays open, with a call that waits.
  turn_id: async (setting) => {
    const { api, user, ids } = setting;
    const chatId = ids['chat_id'] ?? (await makeId('chat_id', setting));
    return (await storeWaitingCall(api.database, { orgId: user.orgId, userId: user.id, chatId })).turnId;
  },
  call_id: async (setting) => {
    const turnId = setting.ids['turn_id'] ?? (await makeId('turn_id', setting));
    const text = 'select id from tool_calls where turn_id = $1';
    const { rows } = await setting.api.database.system.query<{ id: string }>({ text, values: [turnId] });
    return rows[0]?.id ?? '';
  },
  message_id: async (setting) => {
    const chatId = setting.ids['chat_id'] ?? (await makeId('chat_id', setting));
    return storeMessage(setting.api, setting.user, chatId);
  },
};

/** Stores a sign-in at a provider in the state that the path is for. Returns the name of its account. */
async function storeSignIn({ api: { database }, user, path }: Setting): Promise<string> {
  const accountName = `Sample-${randomUUID()}`;
  const { orgId, id: userId } = user;
  // A person has few of them under way at once.
  await database.tenant.query(orgId, {
    text: "update provider_sign_ins set expires_at = now() - interval '1 second' where user_id = $1 and account_id is null",
    values: [userId],
  });
  const signInId = await beginSignIn(database, { orgId, userId, providerType: 'claude-code', accountName });
  const ref = { orgId, signInId };
  await storeAddress(database, ref, { authUrl: 'https://claude.ai/oauth', userCode: null, wantsCode: true });
  const credentials = sealSignIn(new SecretBox([TEST_SECRET_KEY]), ref, { files: {} });
  if (path.includes('/complete/')) await storeSignedIn(database, ref, credentials);
  return accountName;
}

async function trigger({ client }: TestUser, workflowId: string): Promise<{ run_id: string }> {
  return (await client.post<{ run_id: string }>(`/api/workflows/${workflowId}/trigger`, {})).json;
}

async function runOfSchedule(setting: Setting): Promise<string> {
  const id = await makeId('schedule_id', setting);
  return (await setting.keeper.client.post<{ run_id: string }>(`/api/schedules/${id}/trigger`)).json.run_id;
}

interface Setting {
  readonly api: TestApi;
  /** Whose personal records are made. */
  readonly user: TestUser;
  /** Who makes what belongs to the organization. */
  readonly keeper: TestUser;
  /** The path that the id is for. */
  readonly path: string;
  /** Those that were made before, of the records around it. */
  readonly ids: PathIds;
}

/** Deletes softly the record with an id of this name, for the kinds of records that can be restored. */
export const SOFT_DELETE: Readonly<Record<string, (client: ApiClient, id: string) => Promise<unknown>>> =
  Object.fromEntries(
    idNamesThat('isRestorable').map((name) => [
      name,
      (client: ApiClient, id: string) =>
        client.delete(fill(plainRoute('delete', RESOURCE_OF_ID[name]), { [name]: id })),
    ]),
  );

/** The path of records that bodies name. */
export const NAMED_BY_BODIES = { path: '/{agent_id}/{project_id}/{chat_id}' } as const;

/** Returns the path of records that the body of a route names; a channel cannot do without an integration. */
export function namedByBody({ path }: Pick<Route, 'path'>): Pick<Route, 'path'> {
  return path.startsWith('/api/channels')
    ? { path: `/api/channels/{integration_id}${NAMED_BY_BODIES.path}` }
    : NAMED_BY_BODIES;
}

/** Ids of records that one user of an organization does not see of another. */
export const PERSONAL: ReadonlySet<string> = new Set(idNamesThat('isPersonal'));

interface MakeOptions {
  /** Who makes what belongs to the organization; the user unless given. */
  readonly keeper?: TestUser;
  /** Ids that are there already. */
  readonly known?: PathIds;
}

/** Makes the user's own records for all ids of a path. Throws when a path has an id that nobody knows how to make. */
export async function makeIds(
  route: Pick<Route, 'path'> & Partial<Pick<Route, 'query'>>,
  api: TestApi,
  user: TestUser,
  { keeper = user, known = {} }: MakeOptions = {},
): Promise<PathIds> {
  const ids: Record<string, string> = { ...known };
  for (const name of idNames(route)) ids[name] ??= await makeId(name, { api, user, keeper, ids, path: route.path });
  return ids;
}

const lasting = new WeakMap<TestUser, Map<string, Promise<string>>>();

/**
 * Makes the records of a user for a path once, and returns the same ids from then on, also for other paths that begin
 * alike: for requests that leave them as they are. What belongs to the organization is made once for all that have a
 * keeper in common.
 */
export async function lastingIds(...[route, api, user, options = {}]: Parameters<typeof makeIds>): Promise<PathIds> {
  const { keeper = user, known = {} } = options;
  const ids: Record<string, string> = { ...known };
  let owner = keeper;
  for (const name of idNames(route)) {
    if (name in ids) continue;
    if (!isShared(name)) owner = user;
    const ofOwner = lasting.get(owner) ?? new Map<string, Promise<string>>();
    lasting.set(owner, ofOwner);
    const path = route.path.replace(new RegExp(`(?<=\\{${name}\\}).*`), '');
    const key = `${path.replaceAll(/\{(\w+)\}/g, (part, of: string) => known[of] ?? part)} ${name}`;
    const made = ofOwner.get(key) ?? makeId(name, { api, user, keeper, ids: { ...ids }, path });
    ofOwner.set(key, made);
    ids[name] = await made;
  }
  return ids;
}

/** Returns whether the keeper of an organization makes the record for everybody there. */
function isShared(name: string): boolean {
  return isIdName(name) && !PERSONAL.has(name) && !['org_id', 'user_id', 'delivery_id'].includes(name);
}

/** Returns whether records with an id of this name can be made: not of a resource that nothing serves yet. */
export function canMake(name: string): boolean {
  return name in MAKE || (isIdName(name) && findPlainRoute('post', RESOURCE_OF_ID[name]) !== undefined);
}

async function makeId(name: string, setting: Setting): Promise<string> {
  const make = MAKE[name];
  if (make !== undefined) return make(setting);
  if (!isIdName(name)) throw new Error(`say in MAKE how a record for {${name}} is made`);
  return addRecord(RESOURCE_OF_ID[name], setting);
}

/** Adds a record by the route that does so: as its user if it is personal, else as the keeper. */
async function addRecord(resource: ResourceKey, setting: Setting): Promise<string> {
  const { api, user, keeper } = setting;
  const route = plainRoute('post', resource);
  const maker = resourceOf(resource).isPersonal === true ? user : keeper;
  const ids = await makeIds(route, api, maker, { keeper, known: setting.ids });
  const body = route.body && (await neededBody(route, setting));
  const organization = { 'x-org-id': setting.ids['org_id'] ?? maker.orgId };
  const answer = await maker.client.send<{ id: string }>('POST', fill(route, ids), body, organization);
  if (answer.status !== 201) throw new Error(`adding to ${resource} answered ${answer.status}`);
  return answer.json.id;
}

/** Returns the fields that a route's body needs; the records that it has to name are made. */
async function neededBody(route: Route, setting: Setting): Promise<Record<string, unknown>> {
  const known: Record<string, unknown> = { name: `Sample ${randomUUID()}`, key: `sample-${randomUUID()}` };
  const needed = fieldsOf(route.body ?? z.never()).filter(({ isRequired }) => isRequired);
  for (const { name } of needed) if (isIdName(name)) known[name] = await makeId(name, { ...setting, ids: {} });
  const sample = sampleBody(route.body ?? z.never(), known);
  return Object.fromEntries(needed.map(({ name }) => [name, sample[name]]));
}

function plainRoute(method: Route['method'], resource: ResourceKey): Route {
  const route = findPlainRoute(method, resource);
  if (route === undefined) throw new Error(`no route has the method ${method} for ${resource}`);
  return route;
}

function findPlainRoute(method: Route['method'], resource: ResourceKey): Route | undefined {
  return routes.find((route) => route.method === method && route.resource === resource && route.action === undefined);
}

function isIdName(name: string): name is keyof typeof RESOURCE_OF_ID {
  return name in RESOURCE_OF_ID;
}

function idNamesThat(property: 'isRestorable' | 'isPersonal') {
  return Object.keys(RESOURCE_OF_ID)
    .filter(isIdName)
    .filter((name) => resourceOf(RESOURCE_OF_ID[name])[property] === true);
}

async function invite(user: TestUser, orgId = user.orgId): Promise<{ id: string; token: string }> {
  const answer = await user.client.post<{ id: string; token: string }>(`/api/orgs/${orgId}/invites`, {
    role: 'member',
  });
  return answer.json;
}

/** Makes somebody a member of the organization, and answers their id. */
async function addMember({ database: { system } }: TestApi, orgId: string): Promise<string> {
  const id = randomUUID();
  await system.query('insert into users (id, email) values ($1, $2)', [id, `${id}@example.com`]);
  await system.query("insert into memberships (org_id, user_id, role) values ($1, $2, 'member')", [orgId, id]);
  return id;
}

/** Stores a device that is signed in, and answers its id. */
async function storeDevice(
  { database }: Pick<TestApi, 'database'>,
  setting: { orgId: string; userId: string },
): Promise<string> {
  return withSystemTransaction(database, async (transaction) => {
    const session = await openSession(transaction, {
      userId: setting.userId,
      lifetimeSeconds: 3600,
      boundOrgId: setting.orgId,
    });
    const device = { ...setting, sessionId: session.id, apiKeyId: null, name: 'laptop', platform: 'Linux' };
    return createDevice(transaction, device, { publicId: randomUUID(), secretHash: Buffer.alloc(32) });
  });
}

/** Stores a message that no engine hears of, and answers its id. */
async function storeMessage({ database }: TestApi, user: TestUser, chatId: string): Promise<string> {
  const owner = { orgId: user.orgId, userId: user.id };
  const { messageId } = await acceptMessage(database, owner, { chatId, content: 'hello', clientMessageId: undefined });
  return messageId;
}
