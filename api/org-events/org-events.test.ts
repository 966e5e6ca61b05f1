import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { changeAgent } from '../../db/agents/change-agents.ts';
import { getAgent } from '../../db/agents/agents.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { createDefinition } from '../../db/definition-changes/change-definitions.ts';
import { addComment } from '../../db/issues/comments.ts';
import { createTask } from '../../db/tasks/add-tasks.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { withdrawTurn } from '../../db/turns/queued-question.ts';
import { ShippedDefinitions } from '../../domain/definitions/definition.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { policyOf } from '../../domain/permissions/policy.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { faultIn } from '../../test/support/fault-in.ts';
import { invite, join } from '../../test/support/invitations.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { type EventFrame, eventFrameSchema } from './event-frame.ts';

const served = serveTestApi();
const open: Watcher[] = [];
let owner: TestUser;
beforeEach(async () => {
  owner = await registerUser(served.url);
});
afterEach(() => {
  for (const watcher of open.splice(0)) watcher.socket.terminate();
});

/** A client of an organization's events that keeps every frame, and takes only those that the API declares. */
class Watcher {
  readonly socket: WebSocket;
  readonly frames: EventFrame[] = [];
  closedWith: number | undefined;

  constructor(token: string, orgId?: string) {
    const query = orgId === undefined ? '' : `?org_id=${orgId}`;
    const url = `${served.url.replace('http', 'ws')}/ws/events${query}`;
    this.socket = new WebSocket(url, ['everturn.v1', `bearer.${token}`], { origin: served.url });
    this.socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as EventFrame;
      expect(faultIn(eventFrameSchema, frame)).toBeUndefined();
      this.frames.push(frame);
    });
    this.socket.on('close', (code) => (this.closedWith = code));
    this.socket.on('error', () => undefined);
    open.push(this);
  }

  static async of(user: TestUser, orgId?: string): Promise<Watcher> {
    const watcher = new Watcher(user.accessToken, orgId);
    await waitUntil('the first frame', () => (watcher.frames.length > 0 ? true : undefined));
    return watcher;
  }

  get changes(): string[] {
    return this.frames.flatMap((frame) =>
      frame.type === 'changed' ? [`${frame.action} ${frame.resource} ${frame.id}`] : [],
    );
  }

  async waitFor(change: string): Promise<void> {
    await waitUntil(change, () => (this.changes.includes(change) ? true : undefined));
  }

  async close(): Promise<number> {
    if (this.closedWith === undefined) await once(this.socket, 'close');
    return this.closedWith ?? 0;
  }
}

/** Changes something that all who are named may know of, and waits until they do: what came before has come by then. */
async function settle(...watchers: readonly Watcher[]): Promise<void> {
  const { status } = await owner.client.patch(`/api/orgs/${owner.orgId}`, { name: `Renamed ${randomUUID()}` });
  expect(status).toBe(200);
  for (const watcher of watchers) await watcher.waitFor(`changed orgs ${owner.orgId}`);
}

async function restrict(member: TestUser, fields: Record<string, unknown>): Promise<void> {
  const group = { name: `Group ${randomUUID()}`, permissions: ['agents.view', 'providers.view'], ...fields };
  const { json } = await owner.client.post<{ id: string }>('/api/permissions/groups', group);
  const path = `/api/permissions/groups/${json.id}/members`;
  expect((await owner.client.send('PUT', path, { user_ids: [member.id] })).status).toBe(200);
}

function changeOf(orgId: string, id: string = randomUUID()) {
  return { orgId, resource: 'agents', id, action: 'changed' } as const;
}

async function send(chatId: string): Promise<string> {
  const message = { chatId, content: 'hello', clientMessageId: undefined };
  const author = { orgId: owner.orgId, userId: owner.id };
  return (await acceptMessage(served.api.database, author, message)).messageId;
}

describe('the events of an organization', () => {
  test('begin with a resync, and report each record that is added, changed and deleted', async () => {
    const watcher = await Watcher.of(owner);
    expect(watcher.frames[0]).toEqual({ type: 'resync' });
    const id = await createAgent(owner.client);
    await watcher.waitFor(`created agents ${id}`);
    await owner.client.patch(`/api/agents/${id}`, { name: 'Other' });
    await watcher.waitFor(`changed agents ${id}`);
    await owner.client.delete(`/api/agents/${id}`);
    await watcher.waitFor(`deleted agents ${id}`);
  });

  test('report tasks, whoever adds them, to those who may read their chats', async () => {
    const member = await registerColleague(served.api, owner, 'member');
    const [mine, theirs] = [await Watcher.of(owner), await Watcher.of(member, owner.orgId)];
    const chatId = await createChat(owner.client);
    const { json } = await owner.client.post<{ id: string }>('/api/tasks', { chat_id: chatId, title: 'Secret' });
    const actor = { orgId: owner.orgId, userId: owner.id, policy: policyOf('owner', []) };
    const fields = { title: 'Other', description: '', assignedAgentId: null, priority: 'low', dependsOn: [] } as const;
    const { id } = await createTask(served.api.database, actor, { ...fields, chatId, limits: parseOrgLimits('') });
    // Of changes that follow each other at once only the last is told.
    for (const added of [id, json.id]) await mine.waitFor(`created tasks ${added}`);
    await owner.client.patch(`/api/tasks/${id}`, { status: 'completed' });
    await mine.waitFor(`changed tasks ${id}`);
    await owner.client.delete(`/api/tasks/${json.id}`);
    await mine.waitFor(`deleted tasks ${json.id}`);
    await settle(mine, theirs);
    expect(theirs.changes.filter((change) => change.includes(' tasks '))).toEqual([]);
  });

  test('report a task of a shared chat to those who may view tasks, and the chat to those who may read it', async () => {
    const reader = await registerColleague(served.api, owner, 'member');
    const viewer = await registerColleague(served.api, owner, 'member');
    await restrict(reader, { permissions: ['chats.view_shared'] });
    await restrict(viewer, { permissions: ['chats.view_shared', 'tasks.view'] });
    const { json: project } = await owner.client.post<{ id: string }>('/api/projects', { name: 'Website' });
    const agentId = await createAgent(owner.client);
    const [less, more] = [await Watcher.of(reader, owner.orgId), await Watcher.of(viewer, owner.orgId)];
    const fields = { agent_id: agentId, project_id: project.id };
    const { json: chat } = await owner.client.post<{ id: string }>('/api/chats', fields);
    const { json } = await owner.client.post<{ id: string }>('/api/tasks', { chat_id: chat.id, title: 'Paint' });
    await more.waitFor(`created tasks ${json.id}`);
    await settle(less, more);
    for (const { changes } of [less, more]) expect(changes).toContain(`created chats ${chat.id}`);
    expect(less.changes.filter((change) => change.includes(' tasks '))).toEqual([]);
  });

  test.each(['tool', 'skill'] as const)('tell of a %s that an agent adds', async (kind) => {
    const watcher = await Watcher.of(owner);
    const { database } = served.api;
    const deps = { database, definitions: { shipped: new ShippedDefinitions([]) }, orgLimits: parseOrgLimits('') };
    const actor = { orgId: owner.orgId, userId: owner.id, policy: policyOf('owner', []) };
    const said = { key: 'cut_boards', name: 'Cut boards', description: '', category: 'custom', version: '1.0.0' };
    const { id } = await createDefinition(deps, actor, kind, { ...said, persona: null, files: new Map() });
    await watcher.waitFor(`created ${kind}s ${id}`);
  });

  test('report the comment of an agent on an issue', async () => {
    const watcher = await Watcher.of(owner);
    const { json: project } = await owner.client.post<{ id: string }>('/api/projects', { name: 'Website' });
    const fields = { project_id: project.id, title: 'Broken' };
    const { json: issue } = await owner.client.post<{ id: string }>('/api/issues', fields);
    const actor = { orgId: owner.orgId, userId: owner.id, agentId: await createAgent(owner.client) };
    const comment = { issueId: issue.id, content: 'Done.' };
    const { id } = await addComment(served.api.database, actor, comment, { limits: parseOrgLimits('') });
    await watcher.waitFor(`created issue_comments ${id}`);
  });

  test('say what has changed since somebody has read who came after it, and nothing of what they may not see', async () => {
    const since = performance.now();
    const member = await registerColleague(served.api, owner, 'member');
    await restrict(member, {});
    const chatId = await createChat(owner.client);
    const id = await createAgent(owner.client);
    const [mine, theirs] = [await Watcher.of(owner), await Watcher.of(member, owner.orgId)];
    for (const watcher of [mine, theirs]) {
      watcher.frames.length = 0;
      watcher.socket.send(JSON.stringify({ type: 'catch_up', since_ms: Math.round(performance.now() - since) }));
    }
    await mine.waitFor(`created agents ${id}`);
    await theirs.waitFor(`created agents ${id}`);
    await settle(mine, theirs);
    expect(mine.changes).toContain(`created chats ${chatId}`);
    expect(theirs.changes.filter((change) => change.includes(chatId))).toEqual([]);
    expect([mine, theirs].flatMap(({ frames }) => frames).filter(({ type }) => type === 'resync')).toEqual([]);
  });

  test('say that anything may have changed when somebody has read longer ago than is known', async () => {
    const watcher = await Watcher.of(owner);
    await settle(watcher);
    watcher.frames.length = 0;
    watcher.socket.send('{"type":"catch_up","since_ms":3600000}');
    await waitUntil('a resync', () => (watcher.frames.length > 0 ? true : undefined));
    expect(watcher.frames).toEqual([{ type: 'resync' }]);
    watcher.socket.send('{"type":"catch_up","since_ms":0}');
    await waitUntil('another, since it was asked for before', () => (watcher.frames.length > 1 ? true : undefined));
    expect(watcher.frames[1]).toEqual({ type: 'resync' });
  });

  test('say what has happened in a chat since somebody has read, whose organization is looked up', async () => {
    const since = performance.now();
    const chatId = await createChat(owner.client);
    const stranger = await registerUser(served.url);
    const messageId = await send(chatId);
    await withdrawTurn(served.api.database, { orgId: owner.orgId, userId: owner.id }, { chatId, messageId });
    const [mine, theirs] = [await Watcher.of(owner), await Watcher.of(stranger)];
    for (const watcher of [mine, theirs]) {
      watcher.frames.length = 0;
      watcher.socket.send(JSON.stringify({ type: 'catch_up', since_ms: Math.round(performance.now() - since) }));
    }
    await mine.waitFor(`changed chats ${chatId}`);
    theirs.socket.send('{"type":"ping"}');
    await waitUntil('a pong', () => (theirs.frames.some(({ type }) => type === 'pong') ? true : undefined));
    expect(theirs.changes.filter((change) => change.includes(chatId))).toEqual([]);
    expect(mine.frames.filter(({ type }) => type === 'resync')).toEqual([]);
  });

  test('say to those of an organization of which too much has happened that anything may have, and to no other', async () => {
    const since = performance.now();
    const { json: other } = await owner.client.post<{ id: string }>('/api/orgs', { name: 'Busy' });
    const id = await createAgent(owner.client);
    await served.api.database.follow([{ changed: Array.from({ length: 600 }, () => changeOf(other.id)) }]);
    const [quiet, busy] = [await Watcher.of(owner, owner.orgId), await Watcher.of(owner, other.id)];
    await settle(quiet);
    for (const watcher of [quiet, busy]) {
      watcher.frames.length = 0;
      watcher.socket.send(JSON.stringify({ type: 'catch_up', since_ms: Math.round(performance.now() - since) }));
    }
    await quiet.waitFor(`created agents ${id}`);
    await waitUntil('a resync', () => (busy.frames.length > 0 ? true : undefined));
    expect(busy.frames).toEqual([{ type: 'resync' }]);
    expect(quiet.frames.filter(({ type }) => type === 'resync')).toEqual([]);
  });

  test('report new members, the invites that they have used, and members who leave', async () => {
    const watcher = await Watcher.of(owner);
    const { id: inviteId } = await invite(owner);
    await watcher.waitFor(`created invites ${inviteId}`);
    const member = await join(owner);
    await watcher.waitFor(`created members ${member.id}`);
    expect(watcher.changes.filter((change) => change.startsWith('deleted invites '))).toHaveLength(1);
    expect((await member.client.post(`/api/orgs/${owner.orgId}/leave`)).status).toBeLessThan(300);
    await watcher.waitFor(`deleted members ${member.id}`);
  });

  test('are sent of another organization of the caller when that is named, and of none that is not theirs', async () => {
    const { json: other } = await owner.client.post<{ id: string }>('/api/orgs', { name: 'Other' });
    const [mine, elsewhere] = [await Watcher.of(owner, owner.orgId), await Watcher.of(owner, other.id)];
    const id = await createAgent(owner.client);
    await mine.waitFor(`created agents ${id}`);
    await settle(mine);
    expect(elsewhere.changes).toEqual([]);
    const stranger = await registerUser(served.url);
    expect(await new Watcher(stranger.accessToken, owner.orgId).close()).toBe(4404);
  });

  test('report only what the caller may view, and no id that an allowlist leaves out', async () => {
    const [free, restricted] = [
      await registerColleague(served.api, owner, 'member'),
      await registerColleague(served.api, owner, 'member'),
    ];
    const [allowed, other] = [await createAgent(owner.client), await createAgent(owner.client)];
    await restrict(restricted, { capabilities: { agent_ids: [allowed] } });
    const watchers = [await Watcher.of(free), await Watcher.of(restricted)] as const;
    for (const id of [allowed, other]) await owner.client.patch(`/api/agents/${id}`, { name: 'Renamed' });
    await owner.client.post(`/api/orgs/${owner.orgId}/invites`, { role: 'member' });
    const { json: project } = await owner.client.post<{ id: string }>('/api/projects', { name: 'Secret' });
    await settle(...watchers);
    expect(watchers[0].changes).toEqual(
      expect.arrayContaining([
        `changed agents ${allowed}`,
        `changed agents ${other}`,
        `created projects ${project.id}`,
      ]),
    );
    const agents = watchers[1].changes.filter((change) => change.includes('changed agents'));
    expect(new Set(agents)).toEqual(new Set([`changed agents ${allowed}`, 'changed agents null']));
    expect(watchers[1].changes.join()).not.toContain(other);
    expect(watchers[1].changes.join()).not.toContain('projects');
    for (const watcher of watchers) expect(watcher.changes.join()).not.toContain('invites');
  });

  test('report a chat to those who may read it, and personal records to their user', async () => {
    const colleague = await registerColleague(served.api, owner, 'member');
    const [mine, theirs] = [await Watcher.of(owner), await Watcher.of(colleague)];
    const agentId = await createAgent(owner.client);
    const { json: project } = await owner.client.post<{ id: string }>('/api/projects', { name: 'Open' });
    const chat = async (fields: object) =>
      (await owner.client.post<{ id: string }>('/api/chats', { agent_id: agentId, ...fields })).json.id;
    const [own, shared] = [await chat({}), await chat({ project_id: project.id })];
    await owner.client.post('/api/users/me/api-keys', { name: 'k' });
    await mine.waitFor(`created chats ${own}`);
    await settle(mine, theirs);
    expect(theirs.changes).toContain(`created chats ${shared}`);
    expect(theirs.changes).not.toContain(`created chats ${own}`);
    expect(mine.changes.join()).toContain('api_keys');
    expect(theirs.changes.join()).not.toContain('api_keys');
    await owner.client.patch(`/api/chats/${shared}/sharing`, { shared: false });
    await mine.waitFor(`changed chats ${shared}`);
    theirs.frames.length = 0;
    await send(shared);
    await settle(theirs);
    expect(theirs.changes.join()).not.toContain('chats');
  });

  test('report a chat when a message comes, and when its turn ends', async () => {
    const watcher = await Watcher.of(owner);
    const chatId = await createChat(owner.client);
    await watcher.waitFor(`created chats ${chatId}`);
    const messageId = await send(chatId);
    await watcher.waitFor(`changed chats ${chatId}`);
    watcher.frames.length = 0;
    await withdrawTurn(served.api.database, { orgId: owner.orgId, userId: owner.id }, { chatId, messageId });
    await watcher.waitFor(`changed chats ${chatId}`);
    expect(await claimTurn(served.api.database, { orgId: owner.orgId, chatId })).toBeUndefined();
  });

  test('report records that are changed without a request, as agents and housekeeping do', async () => {
    const watcher = await Watcher.of(owner);
    const id = await createAgent(owner.client);
    await watcher.waitFor(`created agents ${id}`);
    await withOrgTransaction(served.api.database, owner.orgId, async (em) => {
      await changeAgent(em, policyOf('owner', []), await getAgent(em, id), { name: 'By an agent' });
    });
    await watcher.waitFor(`changed agents ${id}`);
  });

  test('say that anything may have changed after the connection to the database was lost', async () => {
    const watcher = await Watcher.of(owner);
    watcher.frames.length = 0;
    await served.api.database.system.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'listen%'",
    );
    await waitUntil('a resync', () => (watcher.frames.some(({ type }) => type === 'resync') ? true : undefined));
  });

  test('say so instead of telling of very many records one by one, and when rights change', async () => {
    const member = await registerColleague(served.api, owner, 'member');
    const watcher = await Watcher.of(member);
    await settle(watcher);
    watcher.frames.length = 0;
    const changed = Array.from({ length: 300 }, () => changeOf(owner.orgId));
    await served.api.database.follow([{ changed }]);
    await waitUntil('a resync', () => (watcher.frames.length > 0 ? true : undefined));
    expect(watcher.frames).toEqual([{ type: 'resync' }]);
    watcher.frames.length = 0;
    await restrict(member, {});
    await waitUntil('another', () => (watcher.frames.some(({ type }) => type === 'resync') ? true : undefined));
  });

  test('are not lost to other organizations when there are too many of one', async () => {
    const { json: other } = await owner.client.post<{ id: string }>('/api/orgs', { name: 'Busy' });
    const [quiet, busy] = [await Watcher.of(owner, owner.orgId), await Watcher.of(owner, other.id)];
    await settle(quiet);
    for (const watcher of [quiet, busy]) watcher.frames.length = 0;
    const id = randomUUID();
    await served.api.database.follow([
      { changed: [...Array.from({ length: 6_000 }, () => changeOf(other.id)), changeOf(owner.orgId, id)] },
    ]);
    await quiet.waitFor(`changed agents ${id}`);
    await waitUntil('a resync', () => (busy.frames.length > 0 ? true : undefined));
    expect(quiet.frames).toHaveLength(1);
    expect(new Set(busy.frames.map(({ type }) => type))).toEqual(new Set(['resync']));
  });

  test('are sent once for all records that the caller may not see, however many', async () => {
    const member = await registerColleague(served.api, owner, 'member');
    await restrict(member, { capabilities: { agent_ids: [await createAgent(owner.client)] } });
    const watcher = await Watcher.of(member);
    watcher.frames.length = 0;
    await served.api.database.follow([{ changed: Array.from({ length: 300 }, () => changeOf(owner.orgId)) }]);
    await settle(watcher);
    expect(watcher.frames.filter(({ type }) => type === 'resync')).toEqual([]);
    // The notifications that bring them, 25 in each, may be told apart.
    expect(watcher.changes.filter((change) => change === 'changed agents null').length).toBeLessThan(13);
  });

  test('end with the session, and with the membership', async () => {
    const member = await registerColleague(served.api, owner, 'member');
    const watcher = await Watcher.of(member, owner.orgId);
    expect((await owner.client.delete(`/api/orgs/${owner.orgId}/members/${member.id}`)).status).toBe(204);
    expect([4401, 4404]).toContain(await watcher.close());
    const mine = await Watcher.of(owner);
    expect((await owner.client.post('/api/auth/logout')).status).toBe(204);
    expect(await mine.close()).toBe(4401);
  });

  test('take pings, and nothing else: ten faulty frames end the connection', async () => {
    const watcher = await Watcher.of(owner);
    watcher.socket.send('{"type":"ping"}');
    await waitUntil('a pong', () => (watcher.frames.some(({ type }) => type === 'pong') ? true : undefined));
    for (let times = 0; times < 10; times += 1) watcher.socket.send('{"type":"message"}');
    expect(await watcher.close()).toBe(1008);
  });

  test('are refused without a token', async () => {
    expect(await new Watcher('wrong').close()).toBe(4401);
  });
});
