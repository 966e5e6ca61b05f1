import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createAgent, createProvider } from '../support/factories.ts';
import { EffectServer } from '../support/effect-server.ts';
import { inLength, isLong } from '../support/in-length.ts';
import { startOwnInstance, type OwnInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: OwnInstance;
let outside: EffectServer;
let chat: OpenChat;

const spawn = (agent: string, task: string) => `[[tool agent_spawn ${JSON.stringify({ agent, task })}]]`;
const request = (path: string) => `[[tool http_request ${JSON.stringify({ url: `${outside.url}${path}` })}]]`;
const count = async (what: string) => {
  const { rows } = await instance.api.database.system.query<{ count: number }>(
    `select count(*)::int as count from ${what} and org_id = $1`,
    [chat.user.orgId],
  );
  return rows[0]?.count ?? 0;
};
const statusOf = async ({ id, user }: OpenChat) =>
  (await user.client.get<{ status: string }>(`/api/chats/${id}`)).json.status;
const isWaiting = async (each: OpenChat) => ((await statusOf(each)) === 'waiting' ? true : undefined);
const isModelAsked = () => (instance.model.requests.at(-1)?.endedAt === null ? true : undefined);
const detailsOf = (message: { readonly metadata_: Readonly<Record<string, unknown>> } | undefined) =>
  message?.metadata_['tool_calls_detail'] as readonly { readonly status: string; readonly result: string }[];

const turns = inLength(4, 12);
const isCrashing = isLong;

beforeAll(async () => {
  outside = await EffectServer.start();
  instance = await startOwnInstance({
    worker: {
      MAX_TURNS_PER_USER: '1',
      MAX_TURNS_PER_ORG: '2',
      MAX_CALLS_PER_USER: '2',
      MAX_SUB_AGENTS_PER_TREE: '4',
    },
    openPorts: [outside.port],
  });
});
afterAll(async () => {
  await instance.close();
  outside.close();
});
beforeEach(async () => {
  chat = await OpenChat.create(instance, { agent: { name: 'Lead', tools: ['agent_spawn', 'http_request'] } });
});
afterEach(() => {
  chat.close();
  outside.release();
});

describe('with one turn of a user at work at a time', () => {
  test('further ones wait in order, are woken at once, and all are answered', async () => {
    const chats = [chat];
    while (chats.length < turns) chats.push(await chat.another());
    for (const each of chats) {
      (await each.post({ content: each === chat ? '[[hold first after 1 chunks]]' : '[[say done]]' })).close();
      // So that the first one is at work; those that begin in the same instant do not see each other.
      if (each === chat) await waitUntil('the model to be asked', isModelAsked);
    }
    for (const each of chats.slice(1)) await waitUntil('the turn to wait', async () => isWaiting(each));
    instance.model.release('first');
    // One that nobody wakes looks by itself after 30 seconds, which is longer than is waited here.
    for (const each of chats) await each.waitForAnswers(1);
    const { rows } = await instance.api.database.system.query<{ chatId: string }>(
      'select chat_id as "chatId" from turns where org_id = $1 order by ended_at',
      [chat.user.orgId],
    );
    expect(rows.map(({ chatId }) => chatId)).toEqual(chats.map(({ id }) => id));
  });

  test('delegation works, through several levels, and the whole tree may have so many sub-agents', async () => {
    for (const name of ['Deep', 'Scout'])
      await createAgent(chat.user.client, { name, tools: ['agent_spawn'], max_subagents: 9 });
    const below = `${spawn('Scout', '[[say down]]')} [[then]] [[say up]]`;
    const three = Array.from({ length: 3 }, () => spawn('Deep', below)).join(' ');
    await chat.post({ content: `${three} [[then]] ${spawn('Scout', '[[say late]]')} [[then]] [[say done]]` });
    const [answer] = await chat.waitForAnswers(1);
    expect(answer?.content).toContain('done');
    const details = detailsOf(answer);
    expect(details.slice(0, 3).map(({ status, result }) => [status, result])).toEqual(
      Array.from({ length: 3 }, () => ['success', 'up']),
    );
    expect(details[3]).toMatchObject({
      status: 'error',
      result: expect.stringContaining('has used its 4 sub-agents'),
    });
    expect(await count('turns where parent_turn_id is not null')).toBe(4);
  });

  test('a turn that waits can be stopped, and passes nothing on that it never had', async () => {
    await chat.post({ content: '[[hold waiting after 1 chunks]]' });
    await waitUntil('the model to be asked', () =>
      instance.model.requests.at(-1)?.endedAt === null ? true : undefined,
    );
    const asked = instance.model.requests.length;
    const [second, third] = [await chat.another(), await chat.another()];
    for (const each of [second, third]) {
      (await each.post({ content: '[[say late]]' })).close();
      await waitUntil('the turn to wait', async () => isWaiting(each));
    }
    await second.user.client.post(`/api/chats/${second.id}/interrupt`);
    const [stopped] = await second.waitForAnswers(1);
    expect(stopped?.metadata_['status']).toBe('interrupted');
    // It checks by itself after a second, and that may be under way.
    await waitUntil('the last turn to wait on', async () => isWaiting(third));
    expect(instance.model.requests).toHaveLength(asked);
    instance.model.release('waiting');
    expect((await third.waitForAnswers(1))[0]?.content).toBe('late');
  });

  test('one that waits for a call of its own and for a sub-agent lends its slot when the call has ended', async () => {
    await createAgent(chat.user.client, { name: 'Scout' });
    const path = `/hold/${chat.id}`;
    const task = `[[hold ${chat.id} after 1 chunks]]`;
    await chat.post({ content: `${request(path)} ${spawn('Scout', task)} [[then]] [[say done]]` });
    await outside.waitFor(path);
    const asked = instance.model.requests.length;
    const one = async (what: string) =>
      waitUntil(`one of ${what}`, async () => ((await count(what)) === 1 ? true : undefined));
    await one("turns where parent_turn_id is not null and status <> 'completed'");
    expect(instance.model.requests).toHaveLength(asked);
    outside.release();
    await one("tool_calls where name = 'http_request' and status = 'success'");
    await waitUntil('the model of the sub-agent to be asked', () => instance.model.requests[asked]);
    instance.model.release(chat.id);
    const [answer] = await chat.waitForAnswers(1);
    expect(detailsOf(answer).map(({ status }) => status)).toEqual(['success', 'success']);
  });

  if (isCrashing)
    test('goes on after all workers were killed while others waited', async () => {
      const chats = [chat, await chat.another(), await chat.another()];
      for (const each of chats) (await each.post({ content: `[[hold ${chat.id} after 2 chunks]]` })).close();
      await waitUntil('the last one to wait', async () => isWaiting(chats[2] as OpenChat));
      await instance.killWorkers();
      instance.model.release(chat.id);
      await instance.addWorker();
      for (const each of chats) expect((await each.waitForAnswers(1))[0]?.metadata_['status']).toBe('completed');
    });
});

describe('with two calls of a user at work at a time', () => {
  const path = () => `/hold/${chat.id}`;

  test('further ones wait without a place and are done as others end', async () => {
    await chat.post({
      content: `${Array.from({ length: 14 }, () => request(path())).join(' ')} [[then]] [[say done]]`,
    });
    const running = "tool_calls where holder_id is not null and status = 'running'";
    await outside.waitFor(path(), 2);
    const seen: number[] = [];
    await waitUntil('the answer', async () => {
      seen.push(await count(running));
      outside.release();
      return (await chat.answers()).length === 1 ? true : undefined;
    });
    // Soft: as many as a worker has connections begin in the same instant and do not see each other.
    expect(Math.max(...seen)).toBeLessThanOrEqual(2 + 8);
    expect(outside.at(path())).toHaveLength(14);
    expect(detailsOf((await chat.answers())[0]).map(({ status }) => status)).toEqual(Array(14).fill('success'));
  });

  test('an interrupt reaches those that wait, which were not begun', async () => {
    await chat.post({ content: Array.from({ length: 14 }, () => request(path())).join(' ') });
    await outside.waitFor(path(), 2);
    await chat.user.client.post(`/api/chats/${chat.id}/interrupt`);
    const [answer] = await chat.waitForAnswers(1);
    expect(answer?.metadata_['status']).toBe('interrupted');
    expect(outside.at(path()).length).toBeLessThanOrEqual(2 + 8);
  });
});

describe('tests of provider accounts', () => {
  test('are five of a user at once; more are refused and hold no worker', async () => {
    const { client } = chat.user;
    const id = await createProvider(client, outside.url, { base_url: `${outside.url}/hold/${chat.id}` });
    const answers: Awaited<ReturnType<typeof client.post>>[] = [];
    const tests = Array.from({ length: 8 }, async () => answers.push(await client.post(`/api/providers/${id}/test`)));
    const path = `/hold/${chat.id}/chat/completions`;
    await outside.waitFor(path, 5);
    await waitUntil('the others to be refused', () => answers.length === 3 || undefined);
    outside.release();
    await Promise.all(tests);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
    expect(answers.find(({ status }) => status === 429)?.json).toEqual({
      detail: 'You have 5 tests, fetches or sign-ins at other servers in progress; wait for one',
    });
    expect(outside.at(path)).toHaveLength(5);
  });
});
