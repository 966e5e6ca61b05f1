import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { join } from '../support/invitations.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { ShownMessage } from './open-chat.ts';

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());

let user: TestUser;
let openai: OpenAI;
beforeEach(async () => {
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  await createAgent(user.client, { name: 'Helper' });
  const { json: key } = await user.client.post<{ key: string }>('/api/users/me/api-keys', { name: 'k' });
  openai = new OpenAI({ apiKey: key.key, baseURL: `${instance.api.url}/v1`, maxRetries: 0 });
});

type Said = OpenAI.Chat.ChatCompletionMessageParam;

async function ask(messages: Said[], options?: OpenAI.RequestOptions) {
  return openai.chat.completions.create({ model: 'Helper', messages, temperature: 0.2 }, options);
}

const chats = async () => (await user.client.get<{ id: string; title: string }[]>('/api/chats')).json;
const messagesOf = async (id: string) => (await user.client.get<ShownMessage[]>(`/api/chats/${id}/messages`)).json;
const idsOf = (completion: object) => (completion as { everturn: { chat_id: string; turn_id: string } }).everturn;

describe("with OpenAI's own client", () => {
  test('the agents are the models, by name, or by id where two have the name', async () => {
    const second = await createAgent(user.client, { name: 'Twin' });
    const third = await createAgent(user.client, { name: 'Twin' });
    await createAgent(user.client, { name: 'Retired', is_active: false });
    const ids = (await openai.models.list()).data.map(({ id }) => id);
    expect(ids.toSorted()).toEqual(['Helper', second, third].toSorted());
    expect(await openai.models.retrieve('Helper')).toMatchObject({ id: 'Helper', object: 'model' });
    await expect(openai.models.retrieve('Twin')).rejects.toMatchObject({ status: 404, type: 'not_found_error' });
  });

  test('an answer comes in one piece, with what was used, and is the turn of a chat', async () => {
    const answer = await ask([{ role: 'user', content: '[[say Good morning]]' }]);
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model: 'Helper',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Good morning' }, finish_reason: 'stop' }],
    });
    expect(answer.usage?.total_tokens).toBeGreaterThan(0);
    const [question, reply] = await messagesOf(idsOf(answer).chat_id);
    expect([question?.content, reply?.content]).toEqual(['[[say Good morning]]', 'Good morning']);
  });

  test('an answer comes in parts, which together are the stored one, and then its usage', async () => {
    const messages: Said[] = [{ role: 'user', content: [{ type: 'text', text: 'one two three four' }] }];
    const stream_options = { include_usage: true };
    const stream = await openai.chat.completions.create({ model: 'Helper', messages, stream: true, stream_options });
    const parts: OpenAI.Chat.ChatCompletionChunk[] = [];
    for await (const part of stream) parts.push(part);
    const text = parts.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('');
    const last = parts.at(-1);
    const [, reply] = await messagesOf(idsOf(last ?? {}).chat_id);
    expect(text).toBe(reply?.content);
    expect(parts[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(parts.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect([last?.choices, (last?.usage?.total_tokens ?? 0) > 0]).toEqual([[], true]);
    expect(new Set(parts.map(({ id }) => id)).size).toBe(1);
  });

  test('an answer that the token limit has cut says so, in one piece and in parts', async () => {
    const messages: Said[] = [{ role: 'user', content: '[[say half]] [[finish length]]' }];
    expect((await ask(messages)).choices[0]).toMatchObject({ message: { content: 'half' }, finish_reason: 'length' });
    const stream = await openai.chat.completions.create({ model: 'Helper', messages, stream: true });
    const reasons: (string | null | undefined)[] = [];
    for await (const { choices } of stream) reasons.push(choices[0]?.finish_reason);
    expect(reasons.at(-1)).toBe('length');
  });

  test('what another model has done with its tools, left empty or refused is passed over', async () => {
    const called = { id: 'c1', type: 'function' as const, function: { name: 'f', arguments: '{}' } };
    const answer = await ask([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: null, tool_calls: [called] },
      { role: 'tool', tool_call_id: 'c1', content: 'result' },
      { role: 'assistant', content: 'first' },
      { role: 'user', content: 'two' },
      { role: 'assistant', content: null, refusal: 'I will not.' },
      { role: 'user', content: 'three' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'Never.' }] },
      { role: 'user', content: '[[say fine]]' },
    ]);
    expect((await messagesOf(idsOf(answer).chat_id)).map(({ content }) => content)).toEqual([
      'one',
      'first',
      'two',
      'I will not.',
      'three',
      'Never.',
      '[[say fine]]',
      'fine',
    ]);
  });

  test('each answer has the name of its request, and a model that is not there is called so', async () => {
    const { response, request_id } = await openai.models.list().withResponse();
    expect([request_id, response.status]).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), 200]);
    const unknown = openai.chat.completions.create({ model: 'Nobody', messages: [{ role: 'user', content: 'x' }] });
    await expect(unknown).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
      requestID: expect.stringMatching(/^[\da-f-]{36}$/),
    });
  });

  test('a conversation that the client keeps goes on in its chat', async () => {
    const messages: Said[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '[[say first]]' },
    ];
    const first = await ask(messages);
    messages.push({ role: 'assistant', content: 'first' }, { role: 'user', content: '[[say second]]' });
    const second = await ask(messages);
    expect(idsOf(second).chat_id).toBe(idsOf(first).chat_id);
    const said = (await messagesOf(idsOf(first).chat_id)).map(({ content }) => content);
    expect(said).toEqual([
      expect.stringMatching(/Be brief\.[^]*\[\[say first\]\]$/),
      'first',
      '[[say second]]',
      'second',
    ]);
    expect(await chats()).toHaveLength(1);
  });

  test('a conversation that was changed, or held elsewhere, goes on in a chat of its own that has what was said', async () => {
    const first = await ask([{ role: 'user', content: '[[say first]]' }]);
    const second = await ask([
      { role: 'user', content: '[[say first]]' },
      { role: 'assistant', content: 'something else' },
      { role: 'user', content: '[[say second]]' },
    ]);
    expect(idsOf(second).chat_id).not.toBe(idsOf(first).chat_id);
    const said = await messagesOf(idsOf(second).chat_id);
    expect(said.map(({ role, content }) => [role, content])).toEqual([
      ['user', '[[say first]]'],
      ['assistant', 'something else'],
      ['user', '[[say second]]'],
      ['assistant', 'second'],
    ]);
    const request = instance.model.requests.at(-1);
    expect(JSON.stringify(request)).toContain('something else');
  });

  test('requests at once with the same history each see that history, and none shares its chat with another', async () => {
    const said: Said[] = [{ role: 'user', content: '[[say first]]' }];
    const first = await ask(said);
    said.push({ role: 'assistant', content: 'first' });
    const words = ['north', 'east', 'south', 'west', 'up', 'down'];
    const askAll = async () =>
      Promise.all(
        words.map(async (word) =>
          ask([...said, { role: 'user', content: `[[say ${word}]]` }], { headers: { 'Idempotency-Key': word } }),
        ),
      );
    const answers = await askAll();
    const ids = answers.map((answer) => idsOf(answer).chat_id);
    expect(new Set(ids).size).toBe(words.length);
    expect(ids.filter((id) => id === idsOf(first).chat_id)).toHaveLength(1);
    for (const [at, id] of ids.entries()) {
      const contents = (await messagesOf(id)).map(({ content }) => content);
      expect(contents).toEqual(['[[say first]]', 'first', `[[say ${words[at]}]]`, words[at]]);
    }
    expect((await askAll()).map(({ id }) => id)).toEqual(answers.map(({ id }) => id));
    expect(await chats()).toHaveLength(words.length);
  });

  test('the same Idempotency-Key makes one turn, and another conversation with it is refused', async () => {
    const options = { headers: { 'Idempotency-Key': 'once' } };
    const askOnce = async () => ask([{ role: 'user', content: 'Hello' }], options);
    const [first, ...others] = await Promise.all([askOnce(), askOnce(), askOnce()]);
    for (const again of [...others, await askOnce()]) {
      expect([again.id, idsOf(again)]).toEqual([first.id, idsOf(first)]);
    }
    const conflict: unknown = await ask([{ role: 'user', content: 'Other' }], options).catch((error: unknown) => error);
    expect(conflict).toMatchObject({ status: 409 });
    expect((conflict as { headers: Headers }).headers.get('x-should-retry')).toBe('false');
    expect(await chats()).toHaveLength(1);
  });

  test('a client that hangs up interrupts the turn; one that sent a key gets the answer later', async () => {
    for (const [gate, headers] of [
      ['hung-up', {}],
      ['kept', { 'Idempotency-Key': 'later' }],
    ] as const) {
      const hangUp = new AbortController();
      const messages: Said[] = [{ role: 'user', content: `[[hold ${gate} after 2 chunks]] w1 w2 w3 w4` }];
      const body = { model: 'Helper', messages, stream: true } as const;
      const stream = await openai.chat.completions.create(body, { signal: hangUp.signal, headers });
      const { value } = await stream[Symbol.asyncIterator]().next();
      expect(value).toBeDefined();
      hangUp.abort();
      const [chat] = await chats();
      if (gate === 'kept') {
        instance.model.release(gate);
        const answer = await openai.chat.completions.create({ model: 'Helper', messages }, { headers });
        expect(answer.choices[0]?.message.content).toContain('w4');
        continue;
      }
      const reply = await waitUntil('the turn to end', async () => (await messagesOf(chat?.id ?? ''))[1]);
      expect(reply.metadata_['status']).toBe('interrupted');
    }
  });

  test('a turn goes on when the process ends at which its client waits', async () => {
    const api = await instance.addApi();
    const client = new OpenAI({ apiKey: openai.apiKey, baseURL: `${api.url}/v1`, maxRetries: 0 });
    const messages: Said[] = [{ role: 'user', content: '[[hold api-ends after 2 chunks]] w1 w2 w3 w4' }];
    const stream = await client.chat.completions.create({ model: 'Helper', messages, stream: true });
    await stream[Symbol.asyncIterator]().next();
    await api.close();
    instance.model.release('api-ends');
    const [chat] = await chats();
    const reply = await waitUntil('the turn to end', async () => (await messagesOf(chat?.id ?? ''))[1]);
    expect([reply.content, reply.metadata_['status']]).toEqual([expect.stringContaining('w4'), 'completed']);
  });

  test('a turn that fails is an error with its reason, in one piece and in a stream, and is not tried again', async () => {
    const messages: Said[] = [{ role: 'user', content: '[[status 400]]' }];
    const retrying = new OpenAI({ apiKey: openai.apiKey, baseURL: `${instance.api.url}/v1` });
    const failing = retrying.chat.completions.create({ model: 'Helper', messages });
    await expect(failing).rejects.toMatchObject({
      status: 502,
      type: 'server_error',
      message: expect.stringMatching(/./),
    });
    expect(await chats()).toHaveLength(1);
    const stream = await openai.chat.completions.create({ model: 'Helper', messages, stream: true });
    await expect(async () => {
      for await (const _part of stream);
    }).rejects.toMatchObject({ type: 'server_error' });
  });

  test.each([
    ['of another name', { model: 'Nobody' }, 404],
    ['with tools of its own', { tools: [{ type: 'function', function: { name: 'f' } }] }, 422],
    ['for two answers', { n: 2 }, 422],
    ['for JSON', { response_format: { type: 'json_object' } }, 422],
    ['that ends with an answer', { messages: [{ role: 'assistant', content: 'x' }] }, 422],
    [
      'with a picture',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
      422,
    ],
    ['of nothing', { messages: [{ role: 'user', content: ' ' }] }, 422],
  ])('a request %s is refused in words', async (_what, fields, status) => {
    const body = { model: 'Helper', messages: [{ role: 'user', content: 'Hello' }], ...fields };
    const answer = openai.chat.completions.create(body as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming);
    await expect(answer).rejects.toMatchObject({ status, error: { message: expect.stringMatching(/\w/) } });
    expect(await chats()).toHaveLength(0);
  });

  test('a wrong key is an authentication error', async () => {
    const stranger = new OpenAI({ apiKey: 'ek_wrong', baseURL: `${instance.api.url}/v1`, maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });

  test('nobody goes on in the chat of somebody else', async () => {
    const first = await ask([{ role: 'user', content: '[[say first]]' }]);
    const other = await join(user);
    const theirs = new OpenAI({ apiKey: other.accessToken, baseURL: `${instance.api.url}/v1`, maxRetries: 0 });
    const messages: Said[] = [
      { role: 'user', content: '[[say first]]' },
      { role: 'assistant', content: 'first' },
      { role: 'user', content: '[[say second]]' },
    ];
    const second = await theirs.chat.completions.create({ model: 'Helper', messages });
    expect(idsOf(second).chat_id).not.toBe(idsOf(first).chat_id);
  });
});
