import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RemoteA2aAgent } from '../support/a2a/remote-agent.ts';
import { addChannel } from '../support/add-channel.ts';
import { HostServer } from '../support/code-hosts/index.ts';
import { embed, EmbeddingServer, readEmbedding } from '../support/embedding-server.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { FakeSlack, sendAsSlack, slackEvent, TEAM } from '../support/fake-slack.ts';
import { longTest } from '../support/in-length.ts';
import { json, OutsideServer } from '../support/outside-server.ts';
import { registerColleague } from '../support/people.ts';
import { SocketClient, type ServerFrame } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

interface Sync {
  readonly id: string;
  readonly status: string;
  readonly created: number;
}

interface Base {
  readonly id: string;
  readonly passages: number;
  readonly embedding: { readonly status: string; readonly passages: number };
}

/** The passages of one call to a provider, and the calls that are made at once. */
const [PASSAGES, CALLS] = [32, 4];

let host: HostServer;
let vectors: EmbeddingServer;
let receiver: OutsideServer;
/** Agents of another platform: one that works, and one that has not said yet that it does. */
let remote: RemoteA2aAgent;
let silent: RemoteA2aAgent;
let slack: FakeSlack;
let instance: TestInstance;
let user: TestUser;

beforeAll(async () => {
  [host, vectors, receiver, remote, silent, slack] = await Promise.all([
    HostServer.start('github'),
    EmbeddingServer.start(),
    OutsideServer.start(),
    RemoteA2aAgent.start(),
    RemoteA2aAgent.start(),
    FakeSlack.start(),
  ]);
  instance = await startTestInstance();
  user = await registerUser(instance.api.url);
});
afterAll(async () => {
  await instance.close();
  host.close();
  vectors.close();
  receiver.close();
  remote.close();
  silent.close();
  slack.close();
});

/** Creates a project, and waits until its repository was read, so that only syncs ask the host from then on. */
async function createProject(): Promise<string> {
  const project = { name: 'Website', repo_url: host.repoUrl, repo_type: 'github' };
  const { id } = (await user.client.post<{ id: string }>('/api/projects', project)).json;
  return waitUntil('the repository to be read', async () => {
    const { json: shown } = await user.client.get<{ repo_status: string }>(`/api/projects/${id}`);
    return shown.repo_status === 'pending' ? undefined : id;
  });
}

const startSync = async (projectId: string) =>
  `/api/projects/${projectId}/syncs/${(await user.client.post<Sync>(`/api/projects/${projectId}/sync-issues`)).json.id}`;

async function untilSync(path: string, isMet: (sync: Sync) => boolean): Promise<Sync> {
  return waitUntil('the sync to stand so', async () => {
    const { json: shown } = await user.client.get<Sync>(path);
    return isMet(shown) ? shown : undefined;
  });
}

async function untilBase(id: string, isMet: (base: Base) => boolean): Promise<Base> {
  return waitUntil('the knowledge base to stand so', async () => {
    const { json: shown } = await user.client.get<Base>(`/api/knowledge-bases/${id}`);
    return isMet(shown) ? shown : undefined;
  });
}

/** Adds a knowledge base whose vectors the provider stops giving after some calls; returns its id, and those calls. */
async function fillBase(): Promise<{ readonly id: string; readonly isBlocked: () => boolean }> {
  await createProvider(user.client, vectors.url);
  const fields = { name: 'Handbook', embedding_model: 'openai-compatible/small' };
  const { id } = (await user.client.post<Base>('/api/knowledge-bases', fields)).json;
  let calls = 0;
  vectors.behave((response, request) => {
    calls += 1;
    if (calls <= CALLS + 1) embed()(response, request);
  });
  const sections = Array.from({ length: 300 }, (_, at) => `## Part ${at}\n\n${'The tea is hot. '.repeat(70)}`);
  await user.client.post(`/api/knowledge-bases/${id}/documents`, { text: sections.join('\n\n') });
  await untilBase(id, ({ embedding }) => embedding.passages >= CALLS * PASSAGES);
  return { id, isBlocked: () => calls > CALLS + 1 };
}

/** Has an agent begin a tree of 1 + 3 + 9 agents, of which those of the last branch wait for a gate of the model. */
async function growTree(chat: OpenChat): Promise<SocketClient> {
  for (const name of ['Branch', 'Worker'])
    await createAgent(chat.user.client, { name, tools: ['agent_spawn'], max_subagents: 30 });
  const spawn = (agent: string, task: string) => `[[tool agent_spawn ${JSON.stringify({ agent, task })}]]`;
  const twig = (n: number, m: number) =>
    spawn('Worker', n === 3 ? '[[hold tree after 1 chunks]]' : `[[say twig ${n}.${m}]]`);
  const branch = (n: number) =>
    spawn('Branch', `${[1, 2, 3].map((m) => twig(n, m)).join(' ')} [[then]] [[say branch ${n}]]`);
  const socket = await chat.connect();
  socket.send({ type: 'message', content: `${[1, 2, 3].map(branch).join(' ')} [[then]] [[say root]]` });
  return socket;
}

const endedAgents = ({ frames }: SocketClient): readonly ServerFrame[] =>
  frames.filter(({ type }) => type === 'sub_agent_done');

/** Has the answer of a chat delivered to a receiver that does not respond; returns the path of the deliveries. */
async function beginDelivery(lead: OpenChat): Promise<string> {
  receiver.reply = () => undefined;
  const watched = await lead.another();
  const path = `/api/chats/${watched.id}/webhook`;
  expect((await lead.user.client.patch(path, { url: receiver.url })).status).toBe(200);
  (await watched.post({ content: '[[say told]]' })).close();
  await waitUntil('a delivery to be under way', () => receiver.seen.length > 0 || undefined);
  return `${path}/deliveries`;
}

/** Has a turn of a member hold the only slot that the member's group allows, and another one wait for it. */
async function takeSlot({ user: owner }: OpenChat): Promise<readonly SocketClient[]> {
  const member = await registerColleague(instance.api, owner, 'member');
  const limits = { max_concurrent_agents: 1 };
  const { json: group } = await owner.client.post<{ id: string }>('/api/permissions/groups', { name: 'One', limits });
  await owner.client.send('PUT', `/api/permissions/groups/${group.id}/members`, { user_ids: [member.id] });
  const agentId = await createAgent(owner.client, { name: 'Plain' });
  const open = async (content: string) => {
    const chatId = await createChat(member.client, agentId);
    const socket = await SocketClient.connect(instance.api.url, chatId, member.accessToken);
    socket.send({ type: 'message', content });
    return { chatId, socket };
  };
  const first = await open('[[hold slot after 1 chunks]]');
  // A chat is shown as running before its turn has taken the slot.
  await waitUntil(
    'the first turn to speak',
    () => first.socket.frames.some(({ type }) => type === 'chunk') || undefined,
  );
  const second = await open('[[say second]]');
  await waitUntil('the second turn to wait', async () => {
    const { json: shown } = await member.client.get<{ status: string }>(`/api/chats/${second.chatId}`);
    return shown.status === 'waiting' || undefined;
  });
  return [first.socket, second.socket];
}

/** Has an agent of another platform begin to work for a chat of its own. */
async function delegateTo(agent: RemoteA2aAgent): Promise<SocketClient> {
  const lead = await OpenChat.create(instance, {
    agent: { name: 'Lead', tools: ['agent_spawn'], requires_approval: { agent_spawn: 'never' } },
  });
  const fields = { kind: 'a2a', name: 'Baker', base_url: agent.cardUrl, credentials: {} };
  expect((await lead.user.client.post('/api/integrations', fields)).status).toBe(201);
  const socket = await lead.connect();
  socket.send({
    type: 'message',
    content: '[[tool agent_spawn {"agent":"Baker","task":"hold"}]] [[then]] [[say baked]]',
  });
  await waitUntil('the work to be sent', () => sentTo(agent) > 0 || undefined);
  return socket;
}

/** Has an agent answer in a thread of Slack, and waits until the beginning is shown there. */
async function beginAnswer({ user: owner }: OpenChat): Promise<void> {
  const agentId = await createAgent(owner.client, { name: 'Writer' });
  const integration = { kind: 'slack', base_url: slack.url, credentials: { token: 'xoxb-of-the-tests' } };
  const { channelId } = await addChannel(owner, { kind: 'slack', agentId, secret: 'of the app', integration });
  slack.users.set('U1', { id: 'U1', team_id: TEAM, is_email_confirmed: true, profile: { email: owner.email } });
  const event = slackEvent({ text: '<@UBOT> [[hold thread after 2 chunks]]', ts: '17.01' });
  await sendAsSlack(instance.api.url, channelId, event, { secret: 'of the app' });
  await waitUntil('the beginning of the answer', () => slack.shown[0]?.startsWith('w1') === true || undefined);
}

const sentTo = ({ seen }: RemoteA2aAgent) => seen.filter(({ method }) => method === 'SendMessage').length;

const isTaskKnown = async () => {
  const text = "select from tool_calls where remote_task <> '' and status = 'running'";
  return (await instance.api.database.system.query(text)).rows.length > 0 || undefined;
};

describe('what a worker that is killed has done in part', () => {
  let projectId: string;
  let sync: string;
  let waitingSync: string;
  let base: string;
  let stored: number;
  let blocked: readonly string[];
  let chat: OpenChat;
  let socket: SocketClient;
  let finished: readonly string[];
  let deliveries: string;
  let ofSlot: readonly SocketClient[];
  let ofRemote: readonly SocketClient[];
  beforeAll(async () => {
    const agent = { name: 'Lead', tools: ['agent_spawn'], max_concurrency: 3 };
    chat = await OpenChat.create(instance, { agent });
    socket = await growTree(chat);
    ofSlot = await takeSlot(chat);
    silent.faults.set('SendMessage', 'hang');
    ofRemote = [await delegateTo(remote), await delegateTo(silent)];
    await waitUntil('a task to be known', isTaskKnown);
    for (let n = 1; n <= 300; n += 1) host.world.addIssue({ labels: ['bug'] });
    const filled = await fillBase();
    base = filled.id;
    const waitingId = await createProject();
    projectId = await createProject();
    await waitUntil('a call to be held', () => filled.isBlocked() || undefined);
    await waitUntil('a third of the agents', () => endedAgents(socket).length >= 4 || undefined);
    deliveries = await beginDelivery(chat);
    await beginAnswer(chat);
    // Two requests do not read 300 issues; what follows is held.
    let asked = 0;
    host.decide = async () => {
      asked += 1;
      return asked > 2 ? new Promise(() => undefined) : 'answered';
    };
    sync = await startSync(projectId);
    await untilSync(sync, ({ created }) => created >= 100 && asked > 2);
    host.fail(1, ({ response }) => void response.writeHead(429, { 'Retry-After': '20' }).end());
    waitingSync = await startSync(waitingId);
    expect(await untilSync(waitingSync, ({ status }) => status === 'waiting')).toMatchObject({
      error: expect.stringContaining('asks to wait'),
    });
    finished = endedAgents(socket).map(({ output }) => String(output));
    await instance.killWorkers();
    expect((await untilSync(sync, () => true)).status).toBe('running');
    expect((await untilSync(waitingSync, () => true)).status).toBe('waiting');
    host.decide = undefined;
    receiver.reply = json({});
    remote.release();
    for (const gate of ['tree', 'slot', 'thread']) instance.model.release(gate);
    stored = (await untilBase(base, () => true)).embedding.passages;
    blocked = vectors.outside.seen.slice(CALLS + 1).flatMap((request) => readEmbedding(request).input);
    vectors.outside.seen.length = 0;
    vectors.behave();
    await instance.addWorker();
  });
  afterAll(() => {
    for (const client of [chat, ...ofSlot, ...ofRemote]) client.close();
  });

  test('a sync ends with each issue once', async () => {
    const ended = await untilSync(sync, ({ status }) => status === 'completed');
    expect(ended).toMatchObject({ created: 300, updated: 0, total: 300 });
    const { rows } = await instance.api.database.system.query(
      `select (select count(*)::int from issues where project_id = $1) as issues,
        (select count(*)::int from remote_issues where project_id = $1) as remotes,
        (select count(distinct number)::int from remote_issues where project_id = $1) as numbers`,
      [projectId],
    );
    expect(rows).toEqual([{ issues: 300, remotes: 300, numbers: 300 }]);
  });

  longTest('a sync that waits as long as its host asks for goes on by itself', async () => {
    const ended = await untilSync(waitingSync, ({ status }) => status === 'completed');
    expect(ended).toMatchObject({ created: 300, error: null });
  });

  test('a delivery of a webhook is made again with the same id', async () => {
    await waitUntil('the delivery to be made', async () => {
      const { json: shown } = await chat.user.client.get<{ status: string }[]>(deliveries);
      return shown[0]?.status === 'delivered' || undefined;
    });
    // One that takes longer than ten seconds is given up, and made again by the worker that is killed later.
    const [first, ...again] = receiver.seen.map(({ headers }) => headers['x-everturn-delivery']);
    expect(first).toEqual(expect.any(String));
    expect(new Set(again)).toEqual(new Set([first]));
  });

  test('work of an agent of another platform goes on, and is not given again', async () => {
    const [known, unknown] = await Promise.all(ofRemote.map(async (each) => each.waitForEnd()));
    const outcomeIn = (end: ServerFrame | undefined) => end?.['metadata'];
    expect(outcomeIn(known)).toMatchObject({ tool_calls_detail: [{ status: 'success' }] });
    expect(outcomeIn(unknown)).toMatchObject({ tool_calls_detail: [{ status: 'unknown' }] });
    expect([sentTo(remote), sentTo(silent)]).toEqual([1, 1]);
  });

  test('an answer that is shown while it is written comes whole, in the same message', async () => {
    await waitUntil('the answer', () => slack.shown[0]?.endsWith('…') === false || undefined);
    expect(slack.messages).toHaveLength(1);
  });

  longTest('a slot of a limit of agents is passed on', async () => {
    for (const each of ofSlot) expect((await each.waitForEnd()).type).toBe('stream_end');
    expect((await ofSlot[1]?.waitForEnd())?.['content']).toBe('second');
  });

  longTest('vectors are paid for once', async () => {
    const { passages, embedding } = await untilBase(base, ({ embedding: { status } }) => status === 'ready');
    expect(embedding.passages).toBe(passages);
    // Only what was under way when it was killed is asked for again.
    expect(vectors.texts).toHaveLength(passages - stored);
    expect(new Set(vectors.texts).size).toBe(vectors.texts.length);
    expect(blocked.length).toBeLessThanOrEqual(CALLS * PASSAGES);
  });

  test('a tree of agents is worked off, and no finished agent works again', async () => {
    const end = await socket.waitForEnd();
    expect(end).toMatchObject({ type: 'stream_end', content: 'root' });
    const branches = ['branch 1', 'branch 2', 'branch 3'];
    expect(end['metadata']).toMatchObject({
      tool_calls_detail: branches.map((result) => ({ result })),
      sub_agents: branches.map(() => ({ status: 'completed' })),
    });
    expect(endedAgents(socket)).toHaveLength(12);
    expect(new Set(endedAgents(socket).map(({ task_id: id }) => id)).size).toBe(12);
    const timesAsked = (output: string) =>
      instance.model.requests.filter(({ messages }) => messages.at(-1)?.content === `[[say ${output}]]`).length;
    for (const output of finished.filter((each) => each.startsWith('twig')))
      expect([output, timesAsked(output)]).toEqual([output, 1]);
  });
});
