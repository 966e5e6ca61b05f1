import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  APIConnectionError,
  AuthenticationError,
  type ClientOptions,
  Everturn,
  PreconditionFailedError,
  type TurnEvent,
  TurnFailedError,
  ValidationError,
} from '../../packages/sdk/src/index.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { Valve } from '../support/valve.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let valve: Valve;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
beforeEach(async () => {
  chat = await OpenChat.create(instance, { agent: { tools: ['time_now'] } });
  valve = await Valve.open(instance.api.url);
});
afterEach(() => {
  chat.close();
  valve.close();
});

const WHOLE = 'w1 w2 w3 w4 w5 w6 w7 w8 w9';

/** A message whose answer waits after three words until the gate is released. */
function blocked() {
  const gate = randomUUID();
  return {
    content: `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`,
    release: () => instance.model.release(gate),
  };
}

const clientOf = (options: ClientOptions = {}) =>
  new Everturn({ url: instance.api.url, apiKey: chat.user.accessToken, ...options });

/** Keeps what is read of a turn, until its end or its failure. */
function reading(turn: AsyncIterable<TurnEvent>) {
  const events: TurnEvent[] = [];
  const ended = (async () => {
    for await (const event of turn) events.push(event);
  })();
  // The test looks at it later.
  ended.catch(() => undefined);
  const text = () => events.map((event) => (event.type === 'chunk' ? event.content : '')).join('');
  const waitFor = async (wanted: string) => waitUntil(`"${wanted}"`, () => (text() === wanted ? true : undefined));
  return { events, ended, text, waitFor };
}

describe('an answer that is read with the SDK', () => {
  test('is told as it is written, and is the stored one', async () => {
    const turn = clientOf().chats.send(chat.id, '[[say one two]]');
    const { events, ended, text } = reading(turn);
    await ended;
    const [stored] = await chat.answers();
    expect(text()).toBe('one two');
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['stream_start', 'stream_end']);
    expect(await turn.message()).toEqual(stored);
    expect([turn.id, turn.text]).toEqual([stored?.metadata_['turn_id'], 'one two']);
  });

  test('is told whole and once, when the connection is cut in the middle', async () => {
    const { content, release } = blocked();
    const { events, ended, text, waitFor } = reading(clientOf({ url: valve.url }).chats.send(chat.id, content));
    await waitFor('w1 w2 w3');
    valve.cut();
    release();
    await ended;
    expect(text()).toBe(WHOLE);
    expect(events.filter(({ type }) => type === 'stream_start' || type === 'stream_end')).toHaveLength(2);
    expect(await chat.messages()).toHaveLength(2);
  });

  test('is told whole and once, when the turn ends while there is no connection', async () => {
    const { content, release } = blocked();
    const { ended, text, waitFor } = reading(clientOf({ url: valve.url }).chats.send(chat.id, content));
    await waitFor('w1 w2 w3');
    valve.shut('responses');
    release();
    await chat.waitForAnswers(1);
    valve.cut();
    valve.reopen();
    await ended;
    expect(text()).toBe(WHOLE);
  });

  test('lacks no tool call and has none twice, when one is made while there is no connection', async () => {
    const [before, after] = [randomUUID(), randomUUID()];
    const content = `[[say so]] [[tool time_now]] [[hold ${before} after 1 chunks]] [[then]] [[slow 9 chunks every 1ms]] [[hold ${after} after 3 chunks]]`;
    const { events, ended, waitFor } = reading(clientOf({ url: valve.url }).chats.send(chat.id, content));
    await waitFor('so');
    const witness = await chat.attach();
    valve.shut('responses');
    instance.model.release(before);
    await waitUntil('the words after the call', () => (witness.text.endsWith('w3') ? true : undefined));
    valve.cut();
    valve.reopen();
    instance.model.release(after);
    await ended;
    const calls = events.flatMap((event) => (event.type === 'tool_call' ? [`${event.name} ${event.status}`] : []));
    expect(calls).toEqual(['time_now running', 'time_now success']);
  });

  test('begins one turn, when the connection is cut before the message was confirmed', async () => {
    valve.shut('responses');
    const { ended, text } = reading(clientOf({ url: valve.url }).chats.send(chat.id, '[[say once]]'));
    await chat.waitForAnswers(1);
    valve.cut();
    valve.reopen();
    await ended;
    expect(text()).toBe('once');
    expect(await chat.messages()).toHaveLength(2);
  });

  test('is gone on with by another process, from where the first was', async () => {
    const { content, release } = blocked();
    const first = clientOf().chats.send(chat.id, content);
    for await (const _ of first) if (first.text === 'w1 w2 w3') break;
    release();
    const second = clientOf().chats.attach(chat.id, { lastEventId: first.lastEventId });
    await second.message();
    expect(second.text).toBe(WHOLE.slice('w1 w2 w3'.length));
  });

  test('tells another process how it ended, that attaches afterwards', async () => {
    const first = clientOf().chats.send(chat.id, '[[say one two]]');
    const message = await first.message();
    const second = clientOf().chats.attach(chat.id, { lastEventId: first.lastEventId });
    const { events, ended } = reading(second);
    await ended;
    expect(events).toMatchObject([{ type: 'stream_start' }, { type: 'stream_end', message }]);
    expect(await second.message()).toEqual(message);
  });

  test('throws the reason, when the turn fails', async () => {
    const turn = clientOf().chats.send(chat.id, '[[error-in-stream after 3 chunks]]');
    const failed = turn.message();
    await expect(failed).rejects.toThrow(TurnFailedError);
    const [stored] = await chat.answers();
    await expect(failed).rejects.toThrow(String(stored?.metadata_['error']));
    expect(turn.text).toBe('w1 w2 w3');
  });

  test('fails, when the server stays away', async () => {
    const client = clientOf({ url: valve.url, maxReconnects: 1 });
    const { ended, waitFor } = reading(client.chats.send(chat.id, blocked().content));
    await waitFor('w1 w2 w3');
    valve.close();
    await expect(ended).rejects.toThrow(APIConnectionError);
  });
});

describe('a turn that is stopped with the SDK', () => {
  test('ends with what was said so far', async () => {
    const turn = clientOf().chats.send(chat.id, blocked().content);
    const { ended, waitFor } = reading(turn);
    await waitFor('w1 w2 w3');
    await turn.stop();
    await ended;
    expect(await turn.message()).toMatchObject({ content: 'w1 w2 w3', metadata_: { status: 'interrupted' } });
  });

  test('does not go on, when the connection is cut before the message was confirmed', async () => {
    valve.shut('responses');
    const turn = clientOf({ url: valve.url }).chats.send(chat.id, blocked().content);
    const { ended } = reading(turn);
    await waitUntil('the message', async () => ((await chat.messages()).length > 0 ? true : undefined));
    await turn.stop();
    valve.cut();
    valve.reopen();
    await ended;
    expect((await turn.message()).metadata_).toMatchObject({ status: 'interrupted' });
  });

  test('is taken back while it waits, and the one before it goes on', async () => {
    const { content, release } = blocked();
    const first = reading(clientOf().chats.send(chat.id, content));
    await first.waitFor('w1 w2 w3');
    const second = clientOf().chats.send(chat.id, 'never mind');
    const { events, ended } = reading(second);
    await waitUntil('the second message', () => (events.length > 0 ? true : undefined));
    await second.stop();
    release();
    await Promise.all([first.ended, ended]);
    expect(first.text()).toBe(WHOLE);
    expect((await second.message()).metadata_).toMatchObject({ withdrawn: true });
  });

  test('goes on, when only the reading is aborted', async () => {
    const { content, release } = blocked();
    const controller = new AbortController();
    const { ended, waitFor } = reading(clientOf().chats.send(chat.id, content, { signal: controller.signal }));
    await waitFor('w1 w2 w3');
    controller.abort();
    await expect(ended).rejects.toMatchObject({ name: 'AbortError' });
    release();
    const [stored] = await chat.waitForAnswers(1);
    expect(stored?.content).toBe(WHOLE);
  });
});

describe('a request with the SDK', () => {
  test('that starts a run starts one, when its answer is lost', async () => {
    const client = clientOf({ url: valve.url });
    const agents = await client.request('GET', '/api/agents');
    const body = { name: 'Report', agent_id: agents[0]?.id ?? '', prompt_template: '[[say done]]' };
    const workflow = await client.request('POST', '/api/workflows', { body });
    const runsOf = async () =>
      clientOf().request('GET', '/api/workflows/{workflow_id}/runs', { path: { workflow_id: workflow.id } });
    valve.shut('responses');
    const path = { workflow_id: workflow.id };
    const started = client.request('POST', '/api/workflows/{workflow_id}/trigger', { path, body: {} });
    await waitUntil('the run', async () => ((await runsOf()).length > 0 ? true : undefined));
    valve.cut();
    valve.reopen();
    const { run_id: runId } = await started;
    expect((await runsOf()).map(({ id }) => id)).toEqual([runId]);
  });

  test('reads a list page by page', async () => {
    const client = clientOf();
    for (const name of ['B', 'C', 'D']) await client.request('POST', '/api/agents', { body: { name } });
    const names: string[] = [];
    for await (const { name } of client.list('/api/agents', { query: { limit: 2 } })) names.push(name);
    expect(names.toSorted()).toEqual(['B', 'C', 'D', 'Test agent']);
  });

  test('adds a file, which a message names, and reads it', async () => {
    const client = clientOf();
    const { id } = await client.chats.upload(chat.id, new File(['some notes'], 'notes.txt'));
    const turn = client.chats.send(chat.id, '[[say read]]', { fileIds: [id] });
    await turn.message();
    const [question] = await chat.messages();
    expect(question).toMatchObject({ file_ids: [id] });
    const path = { chat_id: chat.id, file_id: id };
    const content = await client.fetch('GET', '/api/chats/{chat_id}/files/{file_id}/content', { path });
    expect(await content.text()).toBe('some notes');
  });

  test('says what is wrong with which field', async () => {
    const failed = clientOf().request('POST', '/api/agents', { body: { name: '' } });
    await expect(failed).rejects.toThrow(ValidationError);
    await expect(failed).rejects.toMatchObject({ status: 422, issues: [{ loc: ['body', 'name'] }] });
    await expect(failed).rejects.toThrow(/^body\.name: /);
  });

  test('changes nothing of a record that somebody else has changed', async () => {
    const client = clientOf();
    const { id, updated_at: version } = await client.request('POST', '/api/agents', { body: { name: 'B' } });
    const rename = async (name: string) =>
      client.request('PATCH', '/api/agents/{agent_id}', {
        path: { agent_id: id },
        headers: { 'If-Match': `"${version}"` },
        body: { name },
      });
    await rename('C');
    await expect(rename('D')).rejects.toThrow(PreconditionFailedError);
  });

  test('fails clearly with a wrong key, and where nothing listens', async () => {
    const wrong = clientOf({ apiKey: 'et_key_wrong' }).chats.send(chat.id, 'hello').message();
    await expect(wrong).rejects.toThrow(AuthenticationError);
    await expect(wrong).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
    valve.close();
    const nowhere = clientOf({ url: valve.url, maxRetries: 0 }).chats.send(chat.id, 'hello').message();
    await expect(nowhere).rejects.toThrow(APIConnectionError);
    await expect(nowhere).rejects.toThrow(/^POST http:\/\/127\.0\.0\.1:\d+\/api\/chats\/.* \(connect ECONNREFUSED/);
  });
});
