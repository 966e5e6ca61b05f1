import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { generateKeyBetween } from 'fractional-indexing';
import pg from 'pg';
import { BOARD_EVENTS } from '../../api/tasks/board/schema.ts';
import type { BoardNews } from '../../db/core/after-commit.ts';
import { BOARD_CHANNEL, unpackBoardNews } from '../../db/tasks/board.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { registerColleague } from '../support/people.ts';
import { type SseEvent, SseClient } from '../support/sse-client.ts';
import type { TestApi } from '../support/test-api.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Card {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly position: string;
}

interface Board {
  readonly columns: readonly { readonly status: string; readonly tasks: readonly Card[] }[];
}

let instance: TestInstance;
let elsewhere: TestApi;
let user: TestUser;
let agentId: string;
let projectId: string;
let chatId: string;

beforeAll(async () => {
  instance = await startTestInstance();
  elsewhere = await instance.addApi();
});
afterAll(async () => instance.close());
beforeEach(async () => {
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  agentId = await createAgent(user.client, { name: 'Worker', tools: ['agent_spawn'], max_subagents: 2 });
  projectId = (await user.client.post<Card>('/api/projects', { name: 'Launch' })).json.id;
  chatId = await chatOf(user);
});

const chatOf = async ({ client }: TestUser) =>
  (await client.post<Card>('/api/chats', { agent_id: agentId, project_id: projectId })).json.id;
const add = async (title: string, fields: Record<string, unknown> = {}) =>
  (await user.client.post<Card>('/api/tasks', { chat_id: chatId, title, ...fields })).json;
const patch = async (id: string, fields: Record<string, unknown>) =>
  user.client.patch<Card>(`/api/tasks/${id}`, fields);
const path = () => `/api/board?project_id=${projectId}`;

async function titles(status = 'pending'): Promise<string[]> {
  const { columns } = (await user.client.get<Board>(path())).json;
  return columns.find((column) => column.status === status)?.tasks.map(({ title }) => title) ?? [];
}

async function watch(who: TestUser, url = instance.api.url): Promise<SseClient> {
  const stream = await SseClient.open({
    url: `${url}/api/board/stream?project_id=${projectId}`,
    token: who.accessToken,
    declared: BOARD_EVENTS,
  });
  if (stream.status === 200) await stream.waitFor('the board', ({ event }) => event === 'board');
  return stream;
}

const isTask =
  (title: string, status?: string) =>
  ({ event, data }: SseEvent) =>
    event === 'task' && data['title'] === title && (status === undefined || data['status'] === status);

describe('the order of a board', () => {
  test('has new tasks at the end, and those that are moved where they were put', async () => {
    const [a, b, c] = [await add('a'), await add('b'), await add('c')];
    expect(await titles()).toEqual(['a', 'b', 'c']);
    await patch(c.id, { position: generateKeyBetween(a.position, b.position) });
    expect(await titles()).toEqual(['a', 'c', 'b']);
    const first = await patch(b.id, { position: generateKeyBetween(null, a.position) });
    expect(first.json).toMatchObject({ id: b.id, status: 'pending' });
    expect(await titles()).toEqual(['b', 'a', 'c']);
    await patch(b.id, { position: generateKeyBetween((await patch(c.id, {})).json.position, null) });
    await add('d');
    expect(await titles()).toEqual(['a', 'c', 'b', 'd']);
    await patch(a.id, { status: 'in_progress' });
    await patch(c.id, { status: 'in_progress', position: generateKeyBetween(null, a.position) });
    expect([await titles(), await titles('in_progress')]).toEqual([
      ['b', 'd'],
      ['c', 'a'],
    ]);
  });

  test('stays sound when many move tasks to one place, and one task to many places, at once', async () => {
    const [first, last] = [await add('first'), await add('last')];
    const others = await Promise.all(Array.from({ length: 12 }, async (_, at) => add(`task ${at}`)));
    const position = generateKeyBetween(first.position, last.position);
    const moved = await Promise.all(others.map(async ({ id }) => patch(id, { position })));
    expect(moved.map(({ status }) => status)).toEqual(others.map(() => 200));
    const positions = moved.map(({ json }) => json.position).toSorted();
    expect(new Set(positions).size).toBe(others.length);
    for (const position of positions) expect(position > first.position && position < last.position).toBe(true);
    expect(() => positions.reduce((before, each) => generateKeyBetween(before, each) && each)).not.toThrow();
    const targets = [generateKeyBetween(null, first.position), generateKeyBetween(last.position, null)];
    await Promise.all(targets.map(async (position) => patch(others[0]?.id ?? '', { position })));
    const order = await titles();
    expect(order).toHaveLength(14);
    expect(['task 0', 'first']).toContain(order[0]);
  });

  test.each(['', 'a', 'a10', '!', 'ä0', 'a0 ', `A${'0'.repeat(26)}`, `a${'1'.repeat(400)}`, 7, null])(
    'takes no position %j',
    async (position) => {
      const { id } = await add('x');
      expect((await patch(id, { position })).status).toBe(422);
    },
  );
});

describe('the stream of a board', () => {
  test('begins with the board and tells every process of what is added, changed, moved and removed', async () => {
    const known = await add('known');
    const streams = [await watch(user), await watch(user, elsewhere.url)];
    for (const { events } of streams)
      expect(events[0]).toMatchObject({
        event: 'board',
        data: {
          project_id: projectId,
          columns: [{ status: 'pending', tasks: [{ id: known.id }] }, {}, {}, {}, {}, {}],
        },
      });
    const { id } = await add('new');
    await patch(known.id, { title: 'renamed' });
    await patch(id, { status: 'completed' });
    for (const stream of streams) {
      await stream.waitFor('the new task', isTask('new', 'completed'));
      await stream.waitFor('the new name', isTask('renamed'));
    }
    await patch(known.id, { position: 'a1' });
    for (const stream of streams) await stream.waitFor('the move', ({ data }) => data['position'] === 'a1');
    await user.client.delete(`/api/tasks/${known.id}`);
    for (const stream of streams) {
      await stream.waitFor('the end', ({ event, data }) => event === 'removed' && data['id'] === known.id);
      stream.close();
    }
  });

  // The two of the test above share a process, and with it all that modules hold.
  test('is told to other processes by PostgreSQL', async () => {
    const { id } = await add('known');
    const listener = new pg.Client(instance.databaseUrl);
    const announced: (BoardNews | undefined)[] = [];
    listener.on('notification', ({ payload = '' }) => announced.push(unpackBoardNews(payload)));
    await listener.connect();
    try {
      await listener.query(`listen ${BOARD_CHANNEL}`);
      await patch(id, { title: 'renamed' });
      const announcedOf = (what: object) => announced.find((news) => isDeepStrictEqual(news, { projectId, ...what }));
      await waitUntil('the change', () => announcedOf({}));
      await user.client.delete(`/api/tasks/${id}`);
      await waitUntil('the end', () => announcedOf({ removed: { taskId: id, ownerId: user.id, isShared: true } }));
    } finally {
      await listener.end();
    }
  });

  test('tells of what turns do: attempts at tasks, and those of sub-agents', async () => {
    await createAgent(user.client, { name: 'Helper' });
    const stream = await watch(user);
    const work = { assigned_agent_id: agentId };
    const { id } = await add(
      '[[tool agent_spawn {"agent":"Helper","task":"[[say part]]"}]] [[then]] [[say whole]]',
      work,
    );
    const isEnd = ({ event, data }: SseEvent) =>
      event === 'task' && data['id'] === id && data['status'] === 'completed' && data['attempts'] === 1;
    await stream.waitFor('the end of the task', isEnd);
    const url = `${instance.api.url}/api/chats/${chatId}/stream`;
    const content = '[[tool agent_spawn {"agent":"Helper","task":"[[say piece]]"}]] [[then]] [[say all]]';
    const turn = await SseClient.open({ url, token: user.accessToken, body: { content } });
    await turn.waitForEnd();
    const ofHelper = ({ event, data }: SseEvent) =>
      event === 'task' && String(data['title']).includes('piece') && data['status'] === 'completed';
    await stream.waitFor('the task of the sub-agent', ofHelper);
    stream.close();
  });

  test('shows colleagues what is shared, and takes it away with the chat', async () => {
    const colleague = await registerColleague(instance.api, user, 'member');
    const { id } = await add('shared');
    const stream = await watch(colleague);
    const boards = () => stream.events.filter(({ event }) => event === 'board').map(({ data }) => JSON.stringify(data));
    expect(boards()[0]).toContain(id);
    const share = async (shared: boolean) => user.client.patch(`/api/chats/${chatId}/sharing`, { shared });
    await share(false);
    await waitUntil('the board without it', () => (boards().at(-1)?.includes(id) === false ? true : undefined));
    const own = await watch(user);
    const hidden = await add('hidden');
    // What is heard of it after the chat is shared again may be shown.
    await own.waitFor('the hidden task', isTask('hidden'));
    own.close();
    await share(true);
    await waitUntil('the board with both', () => (boards().at(-1)?.includes(hidden.id) ? true : undefined));
    expect(stream.events.filter(isTask('hidden'))).toEqual([]);
    await user.client.delete(`/api/chats/${chatId}`);
    await waitUntil('the empty board', () => (boards().at(-1)?.includes(id) === false ? true : undefined));
    await user.client.patch(`/api/chats/${chatId}/restore`);
    await waitUntil('the board again', () => (boards().at(-1)?.includes(id) ? true : undefined));
    stream.close();
  });

  test('ends with the right to it, and with the project', async () => {
    const [one, two] = [await registerColleague(instance.api, user, 'member'), await watch(user)];
    const stream = await watch(one);
    const group = { name: 'Without tasks', permissions: ['projects.view', 'chats.view_shared'] };
    const { json } = await user.client.post<Card>('/api/permissions/groups', group);
    await user.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [one.id] });
    expect((await stream.waitForEnd()).event).toBe('error');
    expect((await watch(one)).status).toBe(403);
    await user.client.delete(`/api/projects/${projectId}`);
    expect((await two.waitForEnd()).data).toEqual({ message: 'Project not found' });
    expect((await watch(user)).status).toBe(404);
  });

  test('goes on when announcements were lost', async () => {
    const stream = await watch(user);
    await instance.api.database.system.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()",
    );
    const { id } = await add('after it');
    const isShown = () =>
      stream.events.find(
        (event) => isTask('after it')(event) || (event.event === 'board' && JSON.stringify(event.data).includes(id)),
      );
    await waitUntil('the task', isShown);
    stream.close();
  });
});
