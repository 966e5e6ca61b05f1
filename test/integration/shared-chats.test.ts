import { beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { routes } from '../../api/routes.ts';
import { enterMessages } from '../../db/search/enter-messages.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { createAgent, createChain, registerUser, type TestUser, uploadFile } from '../support/factories.ts';
import { forgetAttempts } from '../support/forget-attempts.ts';
import { casesOf } from '../support/in-length.ts';
import { registerColleague } from '../support/people.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { SocketClient } from '../support/socket-client.ts';
import { SseClient } from '../support/sse-client.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { storeWorkspaceFile } from '../support/stored-workspace.ts';
import { waitUntil } from '../support/wait-until.ts';

// Who reads a chat of a project, who writes in it, and what ends when it becomes private.

const served = serveTestApi();

/** A chat with a file, a message and an open turn. */
interface ChatWithAll {
  readonly id: string;
  readonly fileId: string;
  readonly messageId: string;
  readonly turnId: string;
  readonly callId: string;
}

interface Project {
  readonly id: string;
}

let owner: TestUser;
let agentId: string;
let chainId: string;
const people = new Map<string, TestUser>();

/** Who sees shared chats of others, and who does not. */
const READERS = casesOf(['member', 'member of a group with the key', 'viewer', 'admin'], 2);
const OUTSIDERS = casesOf(['stranger', 'member of a group without the key', 'viewer of a group without the key'], 2);

beforeAll(async () => {
  await forgetAttempts(served.api.database);
  owner = await registerColleague(served.api, await registerUser(served.url), 'member');
  const administrator = await registerColleague(served.api, owner, 'admin');
  people.set('member', await registerColleague(served.api, owner, 'member'));
  people.set('viewer', await registerColleague(served.api, owner, 'viewer'));
  people.set('admin', administrator);
  const within = async (role: 'member' | 'viewer', permissions: readonly string[]) => {
    const user = await registerColleague(served.api, owner, role);
    await restrict(administrator, user, permissions);
    return user;
  };
  people.set('member of a group with the key', await within('member', ['chats.view_shared']));
  people.set('member of a group without the key', await within('member', ['projects.manage', 'agents.manage']));
  people.set('viewer of a group without the key', await within('viewer', ['projects.view']));
  people.set('stranger', await registerUser(served.url));
  agentId = await createAgent(owner.client);
  chainId = await createChain(owner.client);
});

/** Puts somebody into a group of their own; answers how its keys are changed. */
async function restrict(administrator: TestUser, user: TestUser, permissions: readonly string[]) {
  const { json } = await administrator.client.post<{ id: string }>('/api/permissions/groups', {
    name: `Group ${uuidv7()}`,
    permissions,
  });
  const path = `/api/permissions/groups/${json.id}`;
  await administrator.client.send('PUT', `${path}/members`, { user_ids: [user.id] });
  return async (keys: readonly string[]) => administrator.client.patch(path, { permissions: keys });
}

const person = (who: string) => people.get(who) ?? owner;

async function createProject(): Promise<string> {
  return (await owner.client.post<Project>('/api/projects', { name: 'Website' })).json.id;
}

async function say(chatId: string, content = 'hello') {
  const message = { chatId, content, clientMessageId: undefined };
  return acceptMessage(served.api.database, { orgId: owner.orgId, userId: owner.id }, message);
}

/** Makes a chat of the owner: of a project unless none is given, and shared unless it is said to be private. */
async function createChat(projectId: string | null, { isPrivate = false } = {}): Promise<ChatWithAll> {
  const { json } = await owner.client.post<{ id: string }>('/api/chats', { agent_id: agentId, project_id: projectId });
  const fileId = await uploadFile(owner.client, json.id);
  await storeWorkspaceFile(served.api.database, { orgId: owner.orgId, chatId: json.id }, { path: 'notes/a.md' });
  const { messageId, turnId } = await say(json.id);
  const callId = await insertCall(turnId);
  if (isPrivate) {
    const { status } = await owner.client.patch(`/api/chats/${json.id}/sharing`, { shared: false });
    expect(status).toBe(200);
  }
  return { id: json.id, fileId, messageId, turnId, callId };
}

/** Stores a call of a tool, as a turn does. */
async function insertCall(turnId: string): Promise<string> {
  const id = uuidv7();
  await served.api.database.system.query(
    `insert into tool_calls (id, org_id, turn_id, step, position, name, label, arguments, effect, status, attempt, result, ended_at)
      select $1, org_id, id, 0, 0, 'time_now', '', '{}', 'read', 'success', 1, 'now', now() from turns where id = $2`,
    [id, turnId],
  );
  return id;
}

/** Stores a chat of a sub-agent below another, as delegation does. */
async function insertBelow(rootId: string): Promise<string> {
  const id = uuidv7();
  await served.api.database.system.query(
    `insert into chats (id, org_id, user_id, agent_id, title, parent_chat_id, root_chat_id)
      select $1, org_id, user_id, agent_id, 'Sub', id, id from chats where id = $2`,
    [id, rootId],
  );
  return id;
}

type Request = (user: TestUser, chat: ChatWithAll) => Promise<number>;

const send =
  (method: string, rest: (chat: ChatWithAll) => string, body?: () => unknown): Request =>
  async ({ client }, chat) =>
    (await client.send(method, `/api/chats/${chat.id}${rest(chat)}`, body?.())).status;

/** What reads a chat. */
const READS: Readonly<Record<string, Request>> = {
  'get /api/chats/{chat_id}': send('GET', () => ''),
  'get /api/chats/{chat_id}/messages': send('GET', () => '/messages'),
  'get /api/chats/{chat_id}/files': send('GET', () => '/files'),
  'get /api/chats/{chat_id}/files/{file_id}': send('GET', ({ fileId }) => `/files/${fileId}`),
  'get /api/chats/{chat_id}/files/{file_id}/content': async ({ client }, { id, fileId }) =>
    (await client.download(`/api/chats/${id}/files/${fileId}/content`)).status,
  'get /api/chats/{chat_id}/workspace': send('GET', () => '/workspace'),
  'get /api/chats/{chat_id}/workspace/{path}': async ({ client }, { id }) =>
    (await client.download(`/api/chats/${id}/workspace/notes/a.md`)).status,
  'get /api/chats/{chat_id}/turns': send('GET', () => '/turns'),
  'get /api/chats/{chat_id}/turns/{turn_id}': send('GET', ({ turnId }) => `/turns/${turnId}`),
  'get /api/chats/{chat_id}/turns/{turn_id}/calls/{call_id}': send(
    'GET',
    ({ turnId, callId }) => `/turns/${turnId}/calls/${callId}`,
  ),
  'get /api/chats/{chat_id}/stream': async (user, { id }) => {
    const stream = await attach(user, id);
    stream.close();
    return stream.status;
  },
};

/** What changes one. */
const WRITES: Readonly<Record<string, Request>> = {
  'patch /api/chats/{chat_id}/title': send(
    'PATCH',
    () => '/title',
    () => ({ title: 'Mine' }),
  ),
  'patch /api/chats/{chat_id}/provider-chain': send(
    'PATCH',
    () => '/provider-chain',
    () => ({
      provider_chain_id: chainId,
    }),
  ),
  'patch /api/chats/{chat_id}/sharing': send(
    'PATCH',
    () => '/sharing',
    () => ({ shared: false }),
  ),
  'patch /api/chats/{chat_id}/restore': send('PATCH', () => '/restore'),
  'patch /api/chats/{chat_id}/messages/{message_id}': send(
    'PATCH',
    ({ messageId }) => `/messages/${messageId}`,
    () => ({ content: 'intruding' }),
  ),
  'post /api/chats/{chat_id}/messages/{message_id}/withdraw': send(
    'POST',
    ({ messageId }) => `/messages/${messageId}/withdraw`,
  ),
  'post /api/chats/{chat_id}/fork': send(
    'POST',
    () => '/fork',
    () => ({}),
  ),
  'patch /api/chats/{chat_id}/messages/{message_id}/excluded': send(
    'PATCH',
    ({ messageId }) => `/messages/${messageId}/excluded`,
    () => ({ excluded: true }),
  ),
  'post /api/chats/{chat_id}/interrupt': send('POST', () => '/interrupt'),
  'post /api/chats/{chat_id}/stream': send(
    'POST',
    () => '/stream',
    () => ({ content: 'intruding' }),
  ),
  'post /api/chats/{chat_id}/files': async ({ client }, { id }) => {
    const form = new FormData();
    form.set('file', new Blob(['x']), 'x.txt');
    return (await client.upload(`/api/chats/${id}/files`, form)).status;
  },
  'delete /api/chats/{chat_id}/files/{file_id}': send('DELETE', ({ fileId }) => `/files/${fileId}`),
  'delete /api/chats/{chat_id}': send('DELETE', () => ''),
};

/** What its owner alone may ask for, and needs a key for, too. */
const KEYED: Readonly<Record<string, Request>> = {
  'patch /api/chats/{chat_id}/webhook': send(
    'PATCH',
    () => '/webhook',
    () => ({ url: 'https://hooks.example.com/intruding' }),
  ),
  'get /api/chats/{chat_id}/webhook/deliveries': send('GET', () => '/webhook/deliveries'),
  'post /api/chats/{chat_id}/webhook/deliveries/{delivery_id}/redeliver': send(
    'POST',
    () => `/webhook/deliveries/${UNKNOWN_ID}/redeliver`,
  ),
  'get /api/chats/{chat_id}/deliveries': send('GET', () => '/deliveries'),
  'put /api/chats/{chat_id}/deliveries': send(
    'PUT',
    () => '/deliveries',
    () => ({ deliveries: [] }),
  ),
  'post /api/chats/{chat_id}/deliveries/{delivery_id}/resend': send('POST', () => `/deliveries/${UNKNOWN_ID}/resend`),
};

async function attach(user: TestUser, chatId: string): Promise<SseClient> {
  return SseClient.open({ url: `${served.url}/api/chats/${chatId}/stream`, token: user.accessToken });
}

/** Whether somebody can open the socket of a chat. */
async function canConnect(user: TestUser, chatId: string): Promise<boolean> {
  try {
    (await SocketClient.connect(served.url, chatId, user.accessToken)).close();
    return true;
  } catch {
    return false;
  }
}

/** All that a chat holds, as it is stored. */
async function stored({ id }: ChatWithAll): Promise<unknown> {
  const { rows } = await served.api.database.system.query(
    `select to_jsonb(c) as chat, (select jsonb_agg(m order by m.seq) from messages m where m.chat_id = c.id) as messages,
      (select jsonb_agg(to_jsonb(t) - 'wake_count' - 'next_wake_at' order by t.seq) from turns t where t.chat_id = c.id) as turns,
      (select count(*) from chat_files f where f.chat_id = c.id) as files
    from chats c where c.id = $1`,
    [id],
  );
  return rows;
}

test('every route about a chat stands in one of the tables here', () => {
  const ofChats = routes.filter(({ path }) => path.startsWith('/api/chats/{chat_id}'));
  const known = Object.keys({ ...READS, ...WRITES, ...KEYED });
  expect(ofChats.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(known.toSorted());
});

describe.each(READERS)('a %s', (who) => {
  let shared: ChatWithAll;
  beforeAll(async () => {
    shared = await createChat(await createProject());
  });

  test.each(Object.entries(READS))('reads a shared chat: %s', async (_title, read) => {
    expect(await read(person(who), shared)).toBe(200);
  });

  test('watches a shared chat by its socket, in which they can write and stop nothing', async () => {
    const before = await stored(shared);
    const socket = await SocketClient.connect(served.url, shared.id, person(who).accessToken);
    for (const frame of [{ type: 'message', content: 'intruding' }, { type: 'interrupt' }]) socket.send(frame);
    const refused = await socket.waitFor('refusals', ({ type }) => type === 'error', 2);
    expect(refused['message']).toContain('only its owner');
    socket.close();
    expect(await stored(shared)).toEqual(before);
  });

  test.each(Object.entries({ ...WRITES, ...KEYED }))('changes nothing of a shared chat: %s', async (_title, write) => {
    const before = await stored(shared);
    expect(await write(person(who), shared)).toBe(403);
    expect(await stored(shared)).toEqual(before);
  });

  test('reads what sub-agents of a shared chat were told, and changes nothing of it', async () => {
    const below = { ...shared, id: await insertBelow(shared.id) };
    const { client } = person(who);
    const { json } = await client.get(`/api/chats/${below.id}`);
    expect(json).toMatchObject({ parent_chat_id: shared.id, shared: true });
    expect((await client.get(`/api/chats/${below.id}/messages`)).status).toBe(200);
    expect(await canConnect(person(who), below.id)).toBe(true);
    expect((await client.patch(`/api/chats/${below.id}/title`, { title: 'Mine' })).status).toBe(403);
  });
});

const hidden: readonly (readonly [who: string, chat: 'shared' | 'private' | 'plain'])[] = [
  ...OUTSIDERS.map((who) => [who, 'shared'] as const),
  ...casesOf([...READERS, ...OUTSIDERS]).flatMap((who) => [[who, 'private'] as const, [who, 'plain'] as const]),
];

describe.each(hidden)('to a %s a chat that is %s', (who, kind) => {
  let chat: ChatWithAll;
  beforeAll(async () => {
    chat = await createChat(kind === 'plain' ? null : await createProject(), { isPrivate: kind === 'private' });
  });

  test.each(Object.entries({ ...READS, ...WRITES }))('is unknown: %s', async (_title, request) => {
    const before = await stored(chat);
    expect(await request(person(who), chat)).toBe(404);
    expect(await stored(chat)).toEqual(before);
  });

  test.each(Object.entries(KEYED))('is like one that does not exist: %s', async (_title, request) => {
    const before = await stored(chat);
    const status = await request(person(who), chat);
    expect([403, 404]).toContain(status);
    expect(await request(person(who), { ...chat, id: UNKNOWN_ID })).toBe(status);
    expect(await stored(chat)).toEqual(before);
  });

  test('is unknown by its socket, its sub-agents’ too, in lists and to searches', async () => {
    const word = `word${uuidv7().replaceAll('-', '')}`;
    await say(chat.id, word);
    await enterMessages(served.api.database);
    const user = person(who);
    const below = await insertBelow(chat.id);
    expect([await canConnect(user, chat.id), await canConnect(user, below)]).toEqual([false, false]);
    expect((await user.client.get(`/api/chats/${below}`)).status).toBe(404);
    const listed = await user.client.get<{ id: string }[]>('/api/chats');
    expect(listed.json.map(({ id }) => id)).not.toContain(chat.id);
    expect((await user.client.get(`/api/chats/search?q=${word}`)).json).toMatchObject({ total: 0, results: [] });
    expect((await owner.client.get(`/api/chats/search?q=${word}`)).json).toMatchObject({ total: 1 });
  });
});

describe('the list of chats', () => {
  test('has one’s own and the shared ones, the most recently changed first, each once, page by page', async () => {
    const user = await registerColleague(served.api, owner, 'member');
    const { json: mine } = await user.client.post<{ id: string }>('/api/chats', { agent_id: agentId });
    const projectId = await createProject();
    const theirs = await createChat(projectId);
    await createChat(projectId, { isPrivate: true });
    const list = async (query: string) => {
      const { json, headers } = await user.client.get<{ id: string; shared: boolean }[]>(`/api/chats${query}`);
      return [json.map(({ id }) => id), headers.get('x-total-count')];
    };
    const [all, total] = await list('');
    expect(all).toEqual(expect.arrayContaining([theirs.id, mine.id]));
    expect((all ?? []).indexOf(theirs.id)).toBeLessThan((all ?? []).indexOf(mine.id));
    expect(new Set(all).size).toBe((all ?? []).length);
    expect(await list('?limit=1')).toEqual([[theirs.id], total]);
    expect(await list(`?project_id=${projectId}`)).toEqual([[theirs.id], '1']);
    const { json: ofMine } = await user.client.post<{ id: string }>('/api/chats', {
      agent_id: agentId,
      project_id: projectId,
    });
    expect(await list(`?project_id=${projectId}`)).toEqual([[ofMine.id, theirs.id], '2']);
    await owner.client.delete(`/api/chats/${theirs.id}`);
    expect(await list(`?project_id=${projectId}`)).toEqual([[ofMine.id], '1']);
    expect(await list(`?project_id=${projectId}&deleted=true`)).toEqual([[], '0']);
  });
});

describe('a search', () => {
  test('finds messages of shared chats beside one’s own, until they are private, and again when they are not', async () => {
    const user = await registerColleague(served.api, owner, 'viewer');
    const word = `word${uuidv7().replaceAll('-', '')}`;
    const shared = await createChat(await createProject());
    const { messageId: theirs } = await say(shared.id, `their ${word}`);
    const search = async () => {
      const { json } = await user.client.get<{ results: { message_id: string }[]; total: number }>(
        `/api/chats/search?q=${word}`,
      );
      return json.results.map(({ message_id: id }) => id);
    };
    // Also before a worker has entered it.
    expect(await search()).toEqual([theirs]);
    const { json: own } = await user.client.post<{ id: string }>('/api/chats', { agent_id: agentId });
    const mine = await acceptMessage(
      served.api.database,
      { orgId: owner.orgId, userId: user.id },
      { chatId: own.id, content: `my ${word}`, clientMessageId: undefined },
    );
    await enterMessages(served.api.database);
    expect(new Set(await search())).toEqual(new Set([theirs, mine.messageId]));
    await owner.client.patch(`/api/chats/${shared.id}/sharing`, { shared: false });
    expect(await search()).toEqual([mine.messageId]);
    await owner.client.patch(`/api/chats/${shared.id}/sharing`, { shared: true });
    expect(new Set(await search())).toEqual(new Set([theirs, mine.messageId]));
    await owner.client.delete(`/api/chats/${shared.id}`);
    expect(await search()).toEqual([mine.messageId]);
  });
});

/** What takes the right to a shared chat from somebody. */
const LOSSES: Readonly<
  Record<
    string,
    (ids: {
      chatId: string;
      projectId: string;
      narrow: (keys: readonly string[]) => Promise<unknown>;
    }) => Promise<unknown>
  >
> = {
  'the chat becomes private': async ({ chatId }) =>
    owner.client.patch(`/api/chats/${chatId}/sharing`, { shared: false }),
  'its project is deleted': async ({ projectId }) => owner.client.delete(`/api/projects/${projectId}`),
  'the chat is deleted': async ({ chatId }) => owner.client.delete(`/api/chats/${chatId}`),
  'a group no longer grants the key': async ({ narrow }) => narrow(['projects.view']),
};

describe.each(Object.entries(LOSSES))('when %s', (_what, lose) => {
  test('the connections of others end at once, and those of the owner stay unless the chat is gone', async () => {
    const user = await registerColleague(served.api, owner, 'member');
    const narrow = await restrict(person('admin'), user, ['chats.view_shared']);
    const projectId = await createProject();
    const { id: chatId } = await createChat(projectId);
    const below = await insertBelow(chatId);
    const socket = await SocketClient.connect(served.url, chatId, user.accessToken);
    const socketBelow = await SocketClient.connect(served.url, below, user.accessToken);
    const own = await SocketClient.connect(served.url, chatId, owner.accessToken);
    const stream = await attach(user, chatId);
    expect(stream.status).toBe(200);
    await stream.waitFor('start', ({ event }) => event === 'stream_start');
    await lose({ chatId, projectId, narrow });
    const haveEnded = () => socket.closeCode !== undefined && socketBelow.closeCode !== undefined;
    await waitUntil('the end of the sockets', () => (haveEnded() ? true : undefined));
    expect([socket.closeCode, socketBelow.closeCode]).toEqual([4404, 4404]);
    expect(await stream.waitForEnd()).toMatchObject({ event: 'error', data: { message: 'Chat not found' } });
    const isGone = (await owner.client.get(`/api/chats/${chatId}`)).status === 404;
    if (!isGone) expect(own.closeCode).toBeUndefined();
    own.close();
  });
});

describe('sharing', () => {
  test('is refused for a chat without a project, and for the chat of a sub-agent', async () => {
    const plain = await createChat(null);
    const shared = await createChat(await createProject());
    const share = async (id: string) => (await owner.client.patch(`/api/chats/${id}/sharing`, { shared: true })).status;
    expect(await share(plain.id)).toBe(409);
    expect(await share(await insertBelow(shared.id))).toBe(409);
    expect(await share(shared.id)).toBe(200);
  });

  test('leaves one entry in the log of the project for each change', async () => {
    const projectId = await createProject();
    const { id } = await createChat(projectId);
    for (const shared of [false, false, true]) await owner.client.patch(`/api/chats/${id}/sharing`, { shared });
    const { json } = await owner.client.get<{ action: string; record_type: string; record_id: string }[]>(
      `/api/projects/${projectId}/logs`,
    );
    const ofChat = json.filter(({ record_type: type }) => type === 'chat');
    expect(ofChat.map(({ action, record_id: chatId }) => [action, chatId])).toEqual([
      ['shared', id],
      ['made_private', id],
      ['created', id],
    ]);
  });

  test('reaches somebody who has another organization active, by the socket', async () => {
    const shared = await createChat(await createProject());
    const user = await registerUser(served.url);
    await served.api.database.system.query(
      "insert into memberships (org_id, user_id, role) values ($1, $2, 'viewer')",
      [owner.orgId, user.id],
    );
    await served.api.database.follow([{ accessOf: [user.id] }]);
    expect(await canConnect(user, shared.id)).toBe(true);
    expect((await user.client.get(`/api/chats/${shared.id}`)).status).toBe(404);
  });
});

describe('the project of a new chat', () => {
  test.each(['unknown', 'deleted', 'another organization’s'])('must exist: %s', async (kind) => {
    const stranger = person('stranger');
    const ids: Record<string, () => Promise<string>> = {
      unknown: async () => uuidv7(),
      deleted: async () => {
        const id = await createProject();
        await owner.client.delete(`/api/projects/${id}`);
        return id;
      },
    };
    const foreign = async () => (await stranger.client.post<Project>('/api/projects', { name: 'Theirs' })).json.id;
    const projectId = await (ids[kind] ?? foreign)();
    const answer = await owner.client.post('/api/chats', { agent_id: agentId, project_id: projectId });
    expect([answer.status, answer.json]).toEqual([404, { detail: 'Project not found' }]);
  });

  test('is unknown to a member who may not see projects', async () => {
    const projectId = await createProject();
    const { client } = person('member of a group with the key');
    const answer = await client.post('/api/chats', { agent_id: agentId, project_id: projectId });
    expect([answer.status, answer.json]).toEqual([404, { detail: 'Project not found' }]);
  });
});
