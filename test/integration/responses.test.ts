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
  openai = clientOf(user.accessToken);
});

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${instance.api.url}/v1`, maxRetries: 0 });
}

type Asked = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model'>;

async function ask(fields: Asked, options?: OpenAI.RequestOptions) {
  return openai.responses.create({ model: 'Helper', ...fields }, options);
}

const chats = async () => (await user.client.get<{ id: string }[]>('/api/chats')).json;
const messagesOf = async (id: string) => (await user.client.get<ShownMessage[]>(`/api/chats/${id}/messages`)).json;
const chatOf = (response: object) => (response as { everturn: { chat_id: string } }).everturn.chat_id;

describe("the responses, with OpenAI's own client", () => {
  test('come in one piece, with what was used, and go on after the one that is named', async () => {
    const first = await ask({ input: '[[say first]]', instructions: 'Be brief.', temperature: 0.2 });
    expect(first).toMatchObject({ object: 'response', status: 'completed', output_text: 'first', error: null });
    expect(first.usage?.total_tokens).toBeGreaterThan(0);
    const input = [{ role: 'user' as const, content: [{ type: 'input_text' as const, text: '[[say second]]' }] }];
    const second = await ask({ input, previous_response_id: first.id });
    expect(second).toMatchObject({ output_text: 'second', previous_response_id: first.id });
    expect(chatOf(second)).toBe(chatOf(first));
    expect((await messagesOf(chatOf(first))).map(({ content }) => content)).toEqual([
      expect.stringMatching(/Be brief\.[^]*\[\[say first\]\]$/),
      'first',
      '[[say second]]',
      'second',
    ]);
  });

  test('are incomplete when the token limit has cut them, in one piece and in parts', async () => {
    const input = '[[say half]] [[finish length]]';
    const cut = {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete', content: [{ text: 'half' }] }],
    };
    expect(await ask({ input })).toMatchObject(cut);
    const stream = await openai.responses.create({ model: 'Helper', input, stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: cut });
  });

  test('echo the metadata, count every kind of token, and say what is wrong with an input', async () => {
    const metadata = { topic: 'greeting' };
    const answer = await ask({ input: '[[say hi]]', metadata });
    expect(answer).toMatchObject({ metadata, usage: { input_tokens_details: { cache_write_tokens: 0 } } });
    const faulty = ask({ input: [{ role: 'user', content: [{ type: 'input_text' }] }] } as never);
    await expect(faulty).rejects.toMatchObject({ status: 422, param: 'input.0.content.0.text' });
    await expect(ask({ input: 7 } as never)).rejects.toMatchObject({
      message: expect.stringContaining('input: must be a text or a list'),
    });
  });

  test('pass over what another model has done beside its messages', async () => {
    // The types of the official client have neither of the nulls.
    const input: object[] = [
      { role: 'user', content: 'one' },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { role: 'assistant', content: null },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'x' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'first', refusal: null }] },
      { role: 'user', content: '[[say fine]]' },
    ];
    const answer = await ask({ input: input as OpenAI.Responses.ResponseInput });
    expect((await messagesOf(chatOf(answer))).map(({ content }) => content)).toEqual([
      'one',
      'first',
      '[[say fine]]',
      'fine',
    ]);
  });

  test('come in parts, which its stream puts together', async () => {
    const stream = openai.responses.stream({ model: 'Helper', input: 'one two three four' });
    const parts: string[] = [];
    const numbers: number[] = [];
    for await (const event of stream) {
      numbers.push(event.sequence_number);
      if (event.type === 'response.output_text.delta') parts.push(event.delta);
    }
    const final = await stream.finalResponse();
    const [, reply] = await messagesOf(chatOf(final));
    expect([parts.join(''), final.output_text]).toEqual([reply?.content, reply?.content]);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  test('continue a conversation that the client keeps, in its chat', async () => {
    const first = await ask({ input: '[[say first]]' });
    const second = await ask({
      input: [
        { role: 'user', content: '[[say first]]' },
        { role: 'assistant', content: 'first' },
        { role: 'user', content: '[[say second]]' },
      ],
    });
    expect([second.output_text, chatOf(second)]).toEqual(['second', chatOf(first)]);
  });

  test('go on after a former one once, when several are asked for at once', async () => {
    const first = await ask({ input: '[[say first]]' });
    const asked = ['a', 'b', 'c'].map(async (word) =>
      ask({ input: `[[say ${word}]]`, previous_response_id: first.id }),
    );
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(refused).toEqual([expect.objectContaining({ status: 409 }), expect.objectContaining({ status: 409 })]);
    expect(await messagesOf(chatOf(first))).toHaveLength(4);
    expect(await chats()).toHaveLength(1);
  });

  test('are made once for a key, also after a former one', async () => {
    const first = await ask({ input: '[[say first]]' });
    const options = { headers: { 'Idempotency-Key': 'once' } };
    const again = { input: '[[say second]]', previous_response_id: first.id };
    const [second, third] = await Promise.all([ask(again, options), ask(again, options)]);
    expect([third.id, (await ask(again, options)).id]).toEqual([second.id, second.id]);
    expect(await messagesOf(chatOf(first))).toHaveLength(4);
  });

  test('tell why a turn has failed, in one piece and in a stream', async () => {
    await expect(ask({ input: '[[status 400]]' })).rejects.toMatchObject({ status: 502, type: 'server_error' });
    const events = await openai.responses.create({ model: 'Helper', input: '[[status 400]]', stream: true });
    const types: string[] = [];
    for await (const event of events) {
      types.push(event.type);
      if (event.type === 'response.failed') expect(event.response.error?.message).toMatch(/\w/);
    }
    expect(types.at(-1)).toBe('response.failed');
  });

  test('end with their client, unless it has sent a key', async () => {
    const hangUp = new AbortController();
    const input = '[[hold response after 2 chunks]] w1 w2 w3 w4';
    const body = { model: 'Helper', input, stream: true } as const;
    const stream = await openai.responses.create(body, { signal: hangUp.signal });
    for await (const event of stream) if (event.type === 'response.output_text.delta') hangUp.abort();
    const [chat] = await chats();
    const reply = await waitUntil('the turn to end', async () => (await messagesOf(chat?.id ?? ''))[1]);
    expect(reply.metadata_['status']).toBe('interrupted');
  });

  test.each([
    ['of another name', { model: 'Nobody' }, 404],
    ['after an unknown one', { previous_response_id: 'resp_0198a5c0-0000-7000-8000-000000000000' }, 404],
    ['after what is no name', { previous_response_id: 'resp' }, 404],
    ['with tools of its own', { tools: [{ type: 'web_search' }] }, 422],
    ['in the background', { background: true }, 422],
    ['in a conversation', { conversation: 'conv_1' }, 422],
    ['for JSON', { text: { format: { type: 'json_object' } } }, 422],
    ['with a picture', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] }, 422],
    ['with the output of a tool', { input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] }, 422],
    ['of nothing', { input: ' ' }, 422],
  ])('are refused in words %s', async (_what, fields, status) => {
    const body = { model: 'Helper', input: 'Hello', ...fields };
    const answer = openai.responses.create(body as OpenAI.Responses.ResponseCreateParamsNonStreaming);
    await expect(answer).rejects.toMatchObject({ status, error: { message: expect.stringMatching(/\w/) } });
    expect(await chats()).toHaveLength(0);
  });

  test('are refused after one that is not the last, that another agent gave, or that is not yours', async () => {
    await createAgent(user.client, { name: 'Other' });
    const first = await ask({ input: '[[say first]]' });
    const after = { input: 'Hello', previous_response_id: first.id };
    const other = openai.responses.create({ model: 'Other', ...after });
    await expect(other).rejects.toMatchObject({ status: 422, param: 'model' });
    const theirs = clientOf((await join(user)).accessToken);
    await expect(theirs.responses.create({ model: 'Helper', ...after })).rejects.toMatchObject({ status: 404 });
    const stranger = await registerUser(instance.api.url);
    await createAgent(stranger.client, { name: 'Helper' });
    const foreign = clientOf(stranger.accessToken).responses.create({ model: 'Helper', ...after });
    await expect(foreign).rejects.toMatchObject({ status: 404 });
    await ask({ ...after, input: '[[say second]]' });
    await expect(ask(after)).rejects.toMatchObject({ status: 409 });
    expect(await messagesOf(chatOf(first))).toHaveLength(4);
  });
});
