import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAgent, createChain, createChat, createProvider, registerUser } from '../support/factories.ts';
import { CANARY } from '../support/operator-environment.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

const MODELS = ['model-a', 'model-b'];
const COMPLETION = {
  id: 'c1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ready' }, finish_reason: 'stop' }],
};
const CHUNK = { choices: [{ index: 0, delta: { content: 'hello' }, finish_reason: 'stop' }] };

/** Each request that the provider got, as it stood on the wire. */
const recorded: { readonly route: string; readonly text: string }[] = [];
let provider: Server;
let instance: TestInstance;
let url: string;

beforeAll(async () => {
  provider = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const { port } = provider.address() as AddressInfo;
  url = `http://127.0.0.1:${port}/v1`;
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  provider.close();
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const route = `${request.method} ${request.url}`;
  recorded.push({ route, text: JSON.stringify([route, request.rawHeaders, body]) });
  const [status, answer] = answerTo(route, body);
  if (typeof answer === 'string') response.writeHead(status, { 'content-type': 'text/event-stream' }).end(answer);
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

function answerTo(route: string, body: string): [status: number, answer: unknown] {
  if (route === 'GET /v1/models') return [200, { data: MODELS.map((id) => ({ id, object: 'model' })) }];
  const { model, stream } = JSON.parse(body) as { model: string; stream?: boolean };
  if (!MODELS.includes(model)) return [404, { error: { message: 'no such model' } }];
  return stream === true ? [200, `data: ${JSON.stringify(CHUNK)}\n\ndata: [DONE]\n\n`] : [200, COMPLETION];
}

test("nothing of the operator's environment reaches a provider, whether an account is tried, its models are listed or a turn is run", async () => {
  const { client } = await registerUser(instance.api.url);
  const strayId = await createProvider(client, url, { model_name: 'model-x' });
  const stray = await client.post(`/api/providers/${strayId}/test`);
  expect(stray.json).toMatchObject({ ok: false, error: expect.stringContaining('It lists model-a, model-b') });
  await client.delete(`/api/providers/${strayId}`);

  const id = await createProvider(client, url, { model_name: 'model-a' });
  expect((await client.post(`/api/providers/${id}/test`)).json).toMatchObject({ ok: true, model: 'model-a' });

  const agentId = await createAgent(client, { provider_chain_id: await createChain(client) });
  const chatId = await createChat(client, agentId);
  const streamed = await client.post(`/api/chats/${chatId}/stream`, { content: 'hello' });
  expect(streamed.status).toBe(200);

  const routes = recorded.map(({ route }) => route);
  expect(routes).toEqual([
    'POST /v1/chat/completions',
    'GET /v1/models',
    'POST /v1/chat/completions',
    'POST /v1/chat/completions',
  ]);
  expect(recorded.filter(({ text }) => text.toLowerCase().includes('canary'))).toEqual([]);
  expect(instance.workers.map((worker) => worker.log()).join('')).not.toContain(CANARY);
});
