import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ANNOUNCE_DUE } from '../../db/turns/ready-turn.ts';
import { createAgent } from '../support/factories.ts';
import { longTest } from '../support/in-length.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { registerColleague } from '../support/people.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

interface Approval {
  readonly id: string;
  readonly chat_id: string;
  readonly call_id: string;
  readonly agent_name: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly status: string;
}

interface Detail {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly result: string;
}

let instance: TestInstance;
let chat: OpenChat;
let socket: SocketClient;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

const TOOLS = ['file_write', 'file_read', 'time_now', 'agent_spawn', 'http_request'];
const write = (path: string) => `[[tool file_write ${JSON.stringify({ path, content: 'words' })}]]`;
const spawn = (agent: string, task: string) => `[[tool agent_spawn ${JSON.stringify({ agent, task })}]]`;

/** Opens a chat whose agent asks before it writes, and says something. */
async function say(content: string, modes: Record<string, string> = { file_write: 'writes' }): Promise<void> {
  chat = await OpenChat.create(instance, { agent: { name: 'Lead', tools: TOOLS, requires_approval: modes } });
  const quick = { tools: TOOLS, requires_approval: { file_write: 'always' } };
  for (const name of ['Scout', 'Guide']) await createAgent(chat.user.client, { ...quick, name });
  socket = await chat.connect();
  socket.send({ type: 'message', content, client_message_id: 'first' });
}

const pending = async () => (await chat.user.client.get<readonly Approval[]>('/api/approvals?status=pending')).json;

async function asked(count = 1): Promise<readonly Approval[]> {
  return waitUntil(`${count} calls to wait`, async () => {
    const found = await pending();
    return found.length === count && (await shown())['status'] === 'waiting' ? found : undefined;
  });
}

const shown = async (id = chat.id) => (await chat.user.client.get<Record<string, unknown>>(`/api/chats/${id}`)).json;

const decide = async (approval: Approval | undefined, body: Record<string, unknown>) =>
  chat.user.client.post<Approval & { readonly detail?: unknown }>(`/api/approvals/${approval?.id}/decision`, body);

async function ended() {
  const end = await socket.waitForEnd();
  return { end, details: (end['metadata'] as { tool_calls_detail: readonly Detail[] }).tool_calls_detail };
}

const frames = (type: string) => socket.frames.filter((frame) => frame['type'] === type);

describe('a call that needs a decision', () => {
  test('waits for it, is shown meanwhile, and is made once it is approved', async () => {
    await say(`${write('a.txt')} [[tool time_now {}]] [[then]] [[say written]]`);
    const [approval] = await asked();
    expect(approval).toMatchObject({
      chat_id: chat.id,
      agent_name: 'Lead',
      tool: 'file_write',
      arguments: { path: 'a.txt', content: 'words' },
    });
    expect(await shown()).toMatchObject({ status: 'waiting', waiting_for: 'approval' });
    await socket.waitFor('the call to be shown', ({ type }) => type === 'approval_requested');
    expect(frames('approval_requested')).toMatchObject([
      { approval_id: approval?.id, step_id: approval?.call_id, step_name: 'file_write', chat_id: chat.id },
    ]);
    // The call that needs none was made meanwhile.
    await socket.waitFor('the other call', ({ type }) => type === 'sub_agent_step_done');
    const late = await chat.connect();
    await late.waitFor('the call to be shown', ({ type }) => type === 'approval_requested');
    expect((await decide(approval, { approve: true })).json).toMatchObject({ status: 'approved' });
    const { end, details } = await ended();
    expect(end['content']).toBe('written');
    expect(details.map(({ name, status }) => [name, status])).toEqual([
      ['file_write', 'success'],
      ['time_now', 'success'],
    ]);
    expect(frames('approval_decided')).toMatchObject([{ approval_id: approval?.id, status: 'approved' }]);
    expect(await shown()).toMatchObject({ status: 'idle', waiting_for: null });
    const second = await decide(approval, { approve: false });
    expect([second.status, second.json.detail]).toEqual([409, expect.stringMatching(/^The call was approved by /)]);
  });

  test('is approved by somebody else where the organization wants that, and may be denied by its user', async () => {
    await say(`${write('a.txt')} ${write('b.txt')} [[then]] [[say written]]`);
    const { user } = chat;
    const colleague = await registerColleague(instance.api, user, 'member');
    const { json: project } = await user.client.post<{ id: string }>('/api/projects', { name: 'Shared' });
    await instance.api.database.system.query('update chats set project_id = $2 where id = $1', [chat.id, project.id]);
    const [first, second] = await asked(2);
    expect(first).toMatchObject({ user_id: user.id, other_person: false });
    expect((await colleague.client.patch(`/api/orgs/${user.orgId}`, { approvals_other_person: true })).status).toBe(
      403,
    );
    const org = await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_other_person: true });
    expect([org.status, org.json]).toMatchObject([200, { approvals_other_person: true }]);
    expect(await pending()).toMatchObject([{ other_person: true }, { other_person: true }]);
    for (const body of [{ approve: true }, { approve: true, arguments: { path: 'c.txt', content: 'words' } }])
      expect(await decide(first, body)).toMatchObject({
        status: 403,
        json: { detail: expect.stringContaining('somebody else has to approve it') },
      });
    const admin = await registerColleague(instance.api, user, 'admin');
    const edited = { approve: true, arguments: { path: 'c.txt', content: 'words' } };
    expect(await admin.client.post(`/api/approvals/${first?.id}/decision`, edited)).toMatchObject({
      status: 403,
      json: { detail: expect.stringContaining('Nobody approves arguments that they have written themselves') },
    });
    const byColleague = await colleague.client.post(`/api/approvals/${first?.id}/decision`, { approve: true });
    expect([byColleague.status, byColleague.json]).toMatchObject([
      200,
      { status: 'approved', decided_by: colleague.id },
    ]);
    expect((await decide(second, { approve: false })).json).toMatchObject({ status: 'denied' });
    expect((await ended()).end['content']).toBe('written');
  });

  test('is not made when it is denied: the model is told why, and the turn goes on', async () => {
    await say(`${write('b.txt')} [[then]] [[tool file_read {"path": "b.txt"}]] [[then]] [[say so be it]]`);
    const [approval] = await asked();
    await decide(approval, { approve: false, note: 'the folder is frozen' });
    const { end, details } = await ended();
    expect(end['content']).toBe('so be it');
    expect(details[0]).toMatchObject({ name: 'file_write', status: 'error' });
    expect(details[0]?.result).toContain('the folder is frozen');
    expect(details[1]).toMatchObject({ name: 'file_read', status: 'error' });
    expect(frames('approval_decided')).toMatchObject([{ status: 'denied' }]);
  });

  test('is made with other arguments, which fit the tool, when it is approved with them', async () => {
    await say(`${write('c.txt')} [[then]] [[tool file_read {"path": "d.txt"}]] [[then]] [[say read]]`);
    const [approval] = await asked();
    const wrong = await decide(approval, { approve: true, arguments: { path: 'd.txt', mode: 'w' } });
    expect([wrong.status, wrong.json.detail]).toMatchObject([422, [{ loc: ['body', 'arguments'] }]]);
    const edited = { path: 'd.txt', content: 'other words' };
    const { json } = await decide(approval, { approve: true, arguments: edited });
    expect(json).toMatchObject({ arguments: { path: 'c.txt' }, edited_arguments: edited });
    const { details } = await ended();
    expect(details[0]?.result).toContain('approved this call with other arguments');
    expect(details[1]?.result).toContain('other words');
  });

  test('never sends a masked secret where an edit says', async () => {
    const args = {
      url: 'http://localhost:1/',
      method: 'POST',
      headers: { authorization: 'Bearer a-secret-of-the-call' },
    };
    await say(`[[tool http_request ${JSON.stringify(args)}]] [[then]] [[say sent]]`);
    const [approval] = await asked();
    const masked = { ...args, url: 'https://evil.example.com/', headers: { authorization: '***' } };
    const { status, json } = await decide(approval, { approve: true, arguments: masked });
    const loc = ['body', 'arguments', 'headers', 'authorization'];
    expect([status, json.detail]).toMatchObject([422, [{ loc }]]);
    await decide(approval, { approve: false });
    await ended();
  });

  test('is cancelled when the turn is interrupted', async () => {
    await say(`${write('e.txt')} [[then]] [[say never]]`);
    const [approval] = await asked();
    socket.send({ type: 'interrupt' });
    const { end, details } = await ended();
    expect([end['type'], details[0]?.status]).toEqual(['stream_end', 'interrupted']);
    expect((await chat.user.client.get(`/api/approvals/${approval?.id}`)).json).toMatchObject({ status: 'cancelled' });
    expect((await decide(approval, { approve: true })).status).toBe(409);
    expect(frames('approval_decided')).toMatchObject([{ status: 'cancelled' }]);
  });

  test('is not made when its time is up, and the model is told', async () => {
    await say(`${write('f.txt')} [[then]] [[say too late]]`);
    const [approval] = await asked();
    // As when the time has come: again and again, because what follows the start of the wait stores its real time.
    const { system } = instance.api.database;
    await waitUntil('the turn to end', async () => {
      await system.query(
        `with due as (
            update turns set waiting_until = now(), next_wake_at = now()
            where id = (select turn_id from approvals where id = $1) and not is_at_work and ended_at is null returning id
          )
          update approvals set expires_at = now() from due where turn_id = due.id and status = 'pending'`,
        [approval?.id],
      );
      await system.query(ANNOUNCE_DUE.text);
      return socket.endings.length > 0 || undefined;
    });
    const { end, details } = await ended();
    expect([end['content'], details[0]?.status]).toEqual(['too late', 'error']);
    expect(details[0]?.result).toContain('nobody has decided in time');
  });

  test('is not made when its agent lost the tool while it waited', async () => {
    await say(`${write('g.txt')} [[then]] [[say sorry]]`);
    const [approval] = await asked();
    const agentId = String((await shown())['agent_id']);
    await chat.user.client.patch(`/api/agents/${agentId}`, { tools: ['time_now'] });
    await decide(approval, { approve: true });
    const { details } = await ended();
    expect(details[0]).toMatchObject({ status: 'error', result: expect.stringContaining('may use any more') });
  });

  test('fails with its turn when its agent was deleted while it waited', async () => {
    await say(`${write('h.txt')} [[then]] [[say never]]`);
    const [approval] = await asked();
    await chat.user.client.delete(`/api/agents/${String((await shown())['agent_id'])}`);
    await decide(approval, { approve: true });
    const frame = await socket.waitFor('the failure', ({ type }) => type === 'error');
    expect(String(frame['message'])).toContain('was deleted');
  });

  test('is shown over server-sent events, and so is the decision', async () => {
    await say('[[say hello]]');
    await ended();
    const stream = await chat.post({ content: `${write('i.txt')} [[then]] [[say done]]` });
    const [approval] = await asked();
    await decide(approval, { approve: true });
    await stream.waitForEnd();
    const announced = stream.events.filter(({ event }) => event === 'approval').map(({ data }) => data);
    expect(announced).toMatchObject([
      { approval_id: approval?.id, status: 'pending', call: { name: 'file_write', step_id: approval?.call_id } },
      { approval_id: approval?.id, status: 'approved' },
    ]);
  });
});

describe('below the agent of the chat', () => {
  const nested = spawn(
    'Scout',
    `${spawn('Guide', `${write('deep.txt')} [[then]] [[say guided]]`)} [[then]] [[say up]]`,
  );

  test('a call waits at any depth, and every chat above shows it', async () => {
    await say(`${nested} [[then]] [[say top]]`, {});
    const [approval] = await asked();
    expect(approval?.agent_name).toBe('Guide');
    expect(await shown()).toMatchObject({ status: 'waiting', waiting_for: 'approval' });
    expect(await shown(approval?.chat_id)).toMatchObject({ status: 'waiting', waiting_for: 'approval' });
    await socket.waitFor('the call to be shown', ({ type }) => type === 'approval_requested');
    expect(frames('approval_requested')).toMatchObject([{ approval_id: approval?.id, agent_name: 'Guide' }]);
    const ofChat = await chat.user.client.get<readonly Approval[]>(`/api/approvals?chat_id=${chat.id}`);
    expect(ofChat.json.map(({ id }) => id)).toEqual([approval?.id]);
    await decide(approval, { approve: true });
    expect((await ended()).end['content']).toBe('top');
  });

  test('a call that waits ends with an interrupt of the chat', async () => {
    await say(`${nested} [[then]] [[say top]]`, {});
    const [approval] = await asked();
    socket.send({ type: 'interrupt' });
    const { details } = await ended();
    expect(details[0]).toMatchObject({ name: 'agent_spawn', status: 'interrupted' });
    expect((await chat.user.client.get(`/api/approvals/${approval?.id}`)).json).toMatchObject({ status: 'cancelled' });
  });

  test.each([
    [true, 'success'],
    [false, 'error'],
  ])('work is handed over only when that was approved: %s', async (approve, status) => {
    await say(`${spawn('Scout', '[[say found]]')} [[then]] [[say top]]`, { '*': 'always' });
    const [approval] = await asked();
    expect(approval?.tool).toBe('agent_spawn');
    expect((await decide(approval, { approve, ...(!approve && { note: 'do it yourself' }) })).status).toBe(200);
    const { end, details } = await ended();
    expect([end['content'], details[0]?.status]).toEqual(['top', status]);
    const { rows } = await instance.api.database.system.query(
      "select from turns where chat_id in (select id from chats where parent_chat_id = $1) and status in ('queued', 'running')",
      [chat.id],
    );
    expect(rows).toHaveLength(0);
  });
});

longTest('a call that was approved while no worker was there is made once by the next one', async () => {
  await say(`${write('survives.txt')} [[then]] [[say survived]]`);
  const [approval] = await asked();
  await instance.killWorkers();
  await decide(approval, { approve: true });
  await instance.addWorker();
  const { end, details } = await ended();
  expect([end['content'], details.map(({ status }) => status)]).toEqual(['survived', ['success']]);
  const { rows } = await instance.api.database.system.query('select tries from tool_calls where id = $1', [
    approval?.call_id,
  ]);
  expect(rows).toEqual([{ tries: 1 }]);
});
