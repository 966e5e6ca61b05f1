import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { parseExactJson } from '../../../../domain/core/exact-json.ts';
import type { Secrets } from '../../../../domain/integrations/integration-kind.ts';
import { parsePrivateHosts } from '../../../../domain/network/addresses.ts';
import { RemoteA2aAgent } from '../../../../test/support/a2a/remote-agent.ts';
import { createGuardedFetch } from '../../../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../../../core/network/guarded-http.ts';
import type { Account, Reach } from './connections.ts';
import { signIn } from './open-connections.ts';
import { openRemoteAgent } from './remote-agent.ts';

let agent: RemoteA2aAgent;
let former: RemoteA2aAgent;
let inside: RemoteA2aAgent;
let guarded: ReturnType<typeof createGuardedFetch>;
let reach: Reach;
beforeAll(async () => {
  agent = await RemoteA2aAgent.start();
  former = await RemoteA2aAgent.start({ version: '0.3' });
  inside = await RemoteA2aAgent.start({ endpoint: 'http://127.0.0.1:8088/a2a' });
  const open = [agent, former, inside].map(({ url }) => new URL(url).host).join(',');
  guarded = createGuardedFetch(parsePrivateHosts(open));
  reach = { sockets: guarded, http: createGuardedHttp(guarded.fetch), signal: new AbortController().signal };
});
afterAll(async () => {
  await guarded.close();
  agent.close();
  former.close();
  inside.close();
});
afterEach(() => agent.faults.clear());

function accountAt(apiUrl: string, secrets: Secrets = {}): Account<'a2a'> {
  const mask = (text: string) => Object.values(secrets).reduce((shown, each) => shown.replaceAll(each, '***'), text);
  return { kind: 'a2a', name: 'Baker', apiUrl, settings: {}, secrets, mask };
}

async function send(text: string, { timeoutMs = 60_000, secrets = {}, to = agent } = {}) {
  const opened = await openRemoteAgent(accountAt(to.cardUrl, secrets), reach);
  return opened.send({ id: randomUUID(), text, timeoutMs });
}

describe('trying an agent', () => {
  test('asks its endpoint for a task that is not there, with the credentials', async () => {
    expect(await signIn(accountAt(agent.cardUrl, { token: 'a-token' }), reach)).toBeNull();
    expect(agent.seen.slice(-2)).toEqual([
      { method: 'card', authorization: 'Bearer a-token' },
      { method: 'GetTask', authorization: 'Bearer a-token' },
    ]);
  });

  test.each<[string, () => Account<'a2a'>, RegExp]>([
    ['without a card', () => accountAt(`${agent.url}/none`), /no card/],
    ['at a private address', () => accountAt('http://127.0.0.1:8088/card.json'), /not allowed|private/],
    ['whose card names a private address', () => accountAt(inside.cardUrl), /not allowed|private/],
    ['whose card names another server', () => accountAt(inside.cardUrl, { token: 'a-token' }), /another server/],
  ])('says what is wrong with one %s', async (_which, account, words) => {
    expect(await signIn(account(), reach)).toMatch(words);
  });

  test.each([
    ['reject', /rejected the credentials/],
    ['redirect', /redirects/],
  ] as const)('fails when its endpoint answers with a %s', async (fault, words) => {
    agent.faults.set('GetTask', fault);
    expect(await signIn(accountAt(agent.cardUrl), reach)).toMatch(words);
  });
});

describe('a message', () => {
  test('is answered without a task, and secrets in the answer are masked', async () => {
    const answer = await send('message your token is a-token', { secrets: { token: 'a-token' } });
    expect(answer).toEqual({ taskId: undefined, state: 'completed', text: 'your token is ***' });
  });

  test.each([
    ['answer bread', 'completed', 'bread'],
    ['twice cake', 'completed', /^cake/],
    ['ask', 'input-required', 'Which colour?'],
    ['fail', 'failed', 'The oven is broken.'],
    ['refuse', 'rejected', ''],
  ] as const)('%s leads to a task that is %s', async (text, state, said) => {
    const opened = await openRemoteAgent(accountAt(agent.cardUrl), reach);
    let answer = await opened.send({ id: randomUUID(), text, timeoutMs: 60_000 });
    while (answer.state === 'working') answer = await opened.poll(answer.taskId ?? '');
    expect(answer).toEqual({ taskId: expect.any(String), state, text: expect.stringMatching(said) });
  });

  test('is answered with data whose numbers stay as they came, by either version of the protocol', async () => {
    const data = '{"id":1234567890123456789,"price":1.10,"count":3}';
    const taskWith = (state: string, part: object) => {
      const artifacts = [{ artifactId: 'a', parts: [{ ...part, data: parseExactJson(data) }] }];
      return { id: 't', contextId: 'c', status: { state }, artifacts };
    };
    agent.faults.set('SendMessage', { result: { task: taskWith('TASK_STATE_COMPLETED', {}) } });
    former.faults.set('message/send', { result: { kind: 'task', ...taskWith('completed', { kind: 'data' }) } });
    for (const to of [agent, former])
      expect(await send('answer bread', { to })).toEqual({ taskId: 't', state: 'completed', text: data });
  });

  test('that a gateway gives up on may be at work, and is no answer of the agent', async () => {
    agent.faults.set('SendMessage', 'gateway');
    const opened = await openRemoteAgent(accountAt(agent.cardUrl), reach);
    const sent = opened.send({ id: randomUUID(), text: 'answer bread', timeoutMs: 60_000 });
    await expect(sent).rejects.toMatchObject({ kind: 'upstream', isUncertain: true, isForeign: false });
  });

  test.each([
    ['an internal error', -32_603, true],
    ['an answer of the agent that is none', -32_006, true],
    ['an error of its own', -32_050, true],
    ['parameters that it does not take', -32_602, false],
    ['a kind of content that it does not take', -32_005, false],
  ])('that is answered with %s (%d) may have been taken: %s', async (_error, code, isUncertain) => {
    agent.faults.set('SendMessage', { error: { code, message: 'The oven is broken.' } });
    await expect(send('answer bread')).rejects.toMatchObject({ kind: 'upstream', isUncertain, isForeign: true });
  });

  test('whose task has an id that cannot be stored may have been taken', async () => {
    const status = { state: 'TASK_STATE_WORKING' };
    agent.faults.set('SendMessage', { result: { task: { id: 'a\u0000b', contextId: 'c', status } } });
    const named = { message: expect.stringContaining('named no task'), isUncertain: true };
    await expect(send('answer bread')).rejects.toMatchObject(named);
  });

  test('whose answer is too large is a failure that leaves open what was done', async () => {
    await expect(
      (async () => {
        const opened = await openRemoteAgent(accountAt(agent.cardUrl), reach);
        let answer = await opened.send({ id: randomUUID(), text: 'huge', timeoutMs: 60_000 });
        while (answer.state === 'working') answer = await opened.poll(answer.taskId ?? '');
      })(),
    ).rejects.toMatchObject({ message: expect.stringContaining('is larger than'), isUncertain: true });
  });

  test('that is never answered ends with its time, and may have arrived', async () => {
    agent.faults.set('SendMessage', 'hang');
    await expect(send('answer x', { timeoutMs: 100 })).rejects.toMatchObject({ kind: 'timeout', isUncertain: true });
  });

  test('that is rejected was not taken', async () => {
    agent.faults.set('SendMessage', 'reject');
    await expect(send('answer x')).rejects.toMatchObject({ kind: 'denied', isUncertain: false });
  });
});

test('a task is cancelled, and one that has ended stays as it is', async () => {
  const opened = await openRemoteAgent(accountAt(agent.cardUrl), reach);
  const { taskId = '' } = await opened.send({ id: randomUUID(), text: 'hold', timeoutMs: 60_000 });
  await opened.cancel(taskId);
  expect(agent.cancelled).toEqual([taskId]);
  await opened.cancel(taskId);
  expect(await opened.poll(taskId)).toMatchObject({ state: 'canceled' });
});

test('an agent of version 0.3 is spoken to by that', async () => {
  const elder = await RemoteA2aAgent.start({ version: '0.3' });
  const local = createGuardedFetch(parsePrivateHosts(new URL(elder.url).host));
  try {
    const opened = await openRemoteAgent(accountAt(elder.cardUrl), { ...reach, http: createGuardedHttp(local.fetch) });
    let answer = await opened.send({ id: randomUUID(), text: 'answer rye', timeoutMs: 60_000 });
    while (answer.state === 'working') answer = await opened.poll(answer.taskId ?? '');
    expect(answer).toMatchObject({ state: 'completed', text: 'rye' });
    expect(elder.seen.map(({ method }) => method)).toEqual(expect.arrayContaining(['card', 'message/send']));
  } finally {
    await local.close();
    elder.close();
  }
});
