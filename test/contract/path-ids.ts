import { randomUUID } from 'node:crypto';
import type { Route } from '../../api/http/define-route.ts';
import { withSystemTransaction } from '../../db/core/index.ts';
import { createDevice } from '../../db/device-tokens/index.ts';
import { openSession } from '../../db/sessions/index.ts';
import { acceptMessage } from '../../db/turns/index.ts';
import type { ApiClient } from '../support/api-client.ts';
import { createAgent, createChain, createChat, createProvider, type TestUser } from '../support/factories.ts';
import type { TestApi } from '../support/test-api.ts';

/** Values for path parameters, by name. */
export type PathIds = Readonly<Record<string, string>>;

/** An id that no record has. */
export const UNKNOWN_ID = '018f0000-0000-7000-8000-000000000000';

/** How a record with an id of this name is made. */
const MAKE: Readonly<Record<string, (place: Place) => Promise<string>>> = {
  agent_id: ({ keeper }) => createAgent(keeper.client),
  provider_id: ({ keeper }) => createProvider(keeper.client, 'https://models.example.com/v1'),
  chain_id: ({ keeper }) => createChain(keeper.client),
  chat_id: async ({ user, keeper }) => createChat(user.client, await createAgent(keeper.client)),
  session_id: async ({ api, user }) =>
    (await openSession(api.database.system, { userId: user.id, lifetimeSeconds: 3_600 })).id,
  group_id: async ({ keeper }) =>
    (await keeper.client.post<{ id: string }>('/api/permissions/groups', { name: randomUUID() })).json.id,
  key_id: async ({ user, ids }) => {
    const place = { 'x-org-id': ids['org_id'] ?? user.orgId };
    return (await user.client.post<{ id: string }>('/api/users/me/api-keys', { name: 'ci' }, place)).json.id;
  },
  memory_id: async ({ keeper, ids }) =>
    (
      await keeper.client.post<{ id: string }>(`/api/agents/${ids['agent_id'] ?? ''}/memories`, {
        content: 'likes tea',
      })
    ).json.id,
  org_id: async ({ user }) => (await user.client.post<{ id: string }>('/api/orgs', { name: 'Another' })).json.id,
  user_id: ({ api, user, ids }) => addMember(api, ids['org_id'] ?? user.orgId),
  invite_id: async ({ keeper, ids }) => (await invite(keeper, ids['org_id'])).id,
  token: async ({ keeper, ids }) => (await invite(keeper, ids['org_id'])).token,
  device_id: ({ api, user, ids }) =>
    storeDevice(api, { orgId: ids['org_id'] ?? user.orgId, userId: ids['user_id'] ?? user.id }),
  actor_id: async ({ user }) => user.id,
  record_id: ({ keeper }) => createAgent(keeper.client),
  message_id: ({ api, user, ids }) => storeMessage(api, user, ids['chat_id'] ?? ''),
};

interface Place {
  readonly api: TestApi;
  /** Whose personal records are made. */
  readonly user: TestUser;
  /** Who makes what belongs to the organization. */
  readonly keeper: TestUser;
  /** Those that were made before, of the records around it. */
  readonly ids: PathIds;
}

/** Deletes softly the record with an id of this name, for the kinds of records that can be. */
export const SOFT_DELETE: Readonly<Record<string, (client: ApiClient, id: string) => Promise<unknown>>> = {
  agent_id: (client, id) => client.delete(`/api/agents/${id}`),
  provider_id: (client, id) => client.delete(`/api/providers/${id}`),
  chat_id: (client, id) => client.delete(`/api/chats/${id}`),
};

/** Records that one user of an organization does not see of another. */
export const PERSONAL: ReadonlySet<string> = new Set(['chat_id', 'key_id', 'message_id', 'device_id', 'session_id']);

/** Parts of a path that are secrets, not ids of records. */
export const SECRETS: ReadonlySet<string> = new Set(['token']);

/** The names of the path's ids, outermost first. */
export function idNames({ path }: Pick<Route, 'path'>): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}

/** The path with ids filled in; those that are not given are unknown ones. */
export function fill({ path }: Pick<Route, 'path'>, ids: PathIds = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => ids[name] ?? UNKNOWN_ID);
}

interface MakeOptions {
  /** Who makes what belongs to the organization; the user unless given. */
  readonly keeper?: TestUser;
  /** Ids that are there already. */
  readonly known?: PathIds;
}

/** Makes the user's own records for all ids of a path. Throws when a path has an id that nobody knows how to make. */
export async function makeIds(
  route: Pick<Route, 'path'>,
  api: TestApi,
  user: TestUser,
  { keeper = user, known = {} }: MakeOptions = {},
): Promise<PathIds> {
  const ids: Record<string, string> = { ...known };
  for (const name of idNames(route)) {
    if (ids[name] !== undefined) continue;
    const make = MAKE[name];
    if (make === undefined) throw new Error(`say in MAKE how a record for {${name}} of ${route.path} is made`);
    ids[name] = await make({ api, user, keeper, ids });
  }
  return ids;
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
export async function storeDevice(
  { database }: Pick<TestApi, 'database'>,
  place: { orgId: string; userId: string },
): Promise<string> {
  return withSystemTransaction(database, async (transaction) => {
    const session = await openSession(transaction, {
      userId: place.userId,
      lifetimeSeconds: 3600,
      boundOrgId: place.orgId,
    });
    const device = { ...place, sessionId: session.id, apiKeyId: null, name: 'laptop', platform: 'Linux' };
    return createDevice(transaction, device, { publicId: randomUUID(), secretHash: Buffer.alloc(32) });
  });
}

/** Stores a message that no engine hears of, and answers its id. */
async function storeMessage({ database }: TestApi, user: TestUser, chatId: string): Promise<string> {
  const owner = { orgId: user.orgId, userId: user.id };
  const { messageId } = await acceptMessage(database, owner, { chatId, content: 'hello', clientMessageId: undefined });
  return messageId;
}
