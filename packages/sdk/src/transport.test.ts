import { describe, expect, test } from '@jest/globals';
import {
  APIConnectionError,
  APITimeoutError,
  EverturnError,
  NotFoundError,
  RateLimitError,
  ServerError,
} from './errors.ts';
import { Everturn } from './everturn.ts';
import { readEvents, type ServerEvent } from './server-events.ts';
import type { ClientOptions } from './transport.ts';

const URL_OF_SERVER = 'https://everturn.example.com';

/** A client whose requests are answered one after the other; the last answer is given again and again. */
function clientOf(answers: readonly (Response | Error)[], options: ClientOptions = {}) {
  const requests: Request[] = [];
  const send = async (...request: Parameters<typeof fetch>): Promise<Response> => {
    requests.push(new Request(...request));
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return answer?.clone() ?? Response.error();
  };
  return { client: new Everturn({ url: URL_OF_SERVER, apiKey: 'et_key_x', fetch: send, ...options }), requests };
}

const answer = (status: number, body: unknown = { detail: 'no' }, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers: { 'retry-after': '0', ...headers } });
const lost = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
const agents = answer(200, []);

describe('a request that fails', () => {
  test.each([
    ['is sent again after a 503', answer(503)],
    ['is sent again after a 429', answer(429)],
    ['is sent again when the connection was lost', lost],
  ])('%s', async (_, failure) => {
    const { client, requests } = clientOf([failure, agents]);
    await expect(client.request('GET', '/api/agents')).resolves.toEqual([]);
    expect(requests).toHaveLength(2);
  });

  test('is not sent again, when nothing but another request would help', async () => {
    const { client, requests } = clientOf([answer(404)]);
    const failed = client.request('GET', '/api/agents/{agent_id}', { path: { agent_id: 'a' } });
    await expect(failed).rejects.toThrow(NotFoundError);
    expect(requests).toHaveLength(1);
  });

  test('is not sent again, when the server asks to wait for longer than a minute', async () => {
    const { client, requests } = clientOf([answer(429, { detail: 'tomorrow' }, { 'retry-after': '3600' })]);
    const failed = client.request('GET', '/api/agents');
    await expect(failed).rejects.toMatchObject({ status: 429, code: 'limit_reached', retryAfterMs: 3_600_000 });
    await expect(failed).rejects.toThrow(RateLimitError);
    expect(requests).toHaveLength(1);
  });

  test('fails with the last reason after all retries', async () => {
    const { client, requests } = clientOf([answer(500, { detail: 'Internal error' }, { 'x-request-id': 'r' })]);
    const failed = client.request('GET', '/api/agents', { maxRetries: 1 });
    await expect(failed).rejects.toThrow(ServerError);
    await expect(failed).rejects.toMatchObject({ name: 'ServerError', code: 'internal', requestId: 'r' });
    expect(requests).toHaveLength(2);
  });

  test('has an abort as its end, also while it waits for another attempt', async () => {
    const controller = new AbortController();
    const { client, requests } = clientOf([answer(503, { detail: 'no' }, { 'retry-after': '50' })]);
    const failed = client.request('GET', '/api/agents', { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(failed).rejects.toThrow('enough');
    expect(requests.length).toBeLessThan(2);
  });
});

describe('a POST whose answer is lost', () => {
  test('is not sent again, because it may have had its effect', async () => {
    const { client, requests } = clientOf([lost]);
    const failed = client.request('POST', '/api/agents', { body: { name: 'A' } });
    await expect(failed).rejects.toThrow(APIConnectionError);
    await expect(failed).rejects.toThrow('ECONNREFUSED');
    expect(requests).toHaveLength(1);
  });

  test('is sent again with the same key, where the server takes one', async () => {
    const { client, requests } = clientOf([lost, answer(202, { run_id: 'r' })]);
    const path = '/api/schedules/{schedule_id}/trigger';
    await client.request('POST', path, { path: { schedule_id: 's' } });
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual([expect.stringMatching(/^[-0-9a-f]{36}$/), keys[0]]);
  });
});

describe('a client', () => {
  test.each<[string, ClientOptions, string]>([
    ['without an address', { apiKey: 'k' }, 'The address of the server is needed'],
    ['with an address that is none', { url: 'localhost:3000', apiKey: 'k' }, 'The address of the server is needed'],
    ['without a key', { url: URL_OF_SERVER }, 'An API key is needed'],
  ])('%s cannot be made', (_, options, message) => {
    expect(() => new Everturn(options)).toThrow(message);
  });

  test('does not repeat a key that no header can contain', async () => {
    const { client } = clientOf([agents], { apiKey: 'et_key_sec\nret' });
    const failed = client.request('GET', '/api/agents');
    await expect(failed).rejects.toThrow(EverturnError);
    await expect(failed).rejects.not.toThrow('ret ');
  });

  test('asks for the current token at each attempt', async () => {
    let count = 0;
    const { client, requests } = clientOf([answer(503), agents], { apiKey: async () => `token-${(count += 1)}` });
    await client.request('GET', '/api/agents');
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('encodes what is put into a path, and takes nothing that would lead elsewhere', async () => {
    const { client, requests } = clientOf([agents], { url: `${URL_OF_SERVER}/under/` });
    const read = async (id: string) => client.request('GET', '/api/agents/{agent_id}', { path: { agent_id: id } });
    await read('a/../b?c');
    expect(requests[0]?.url).toBe(`${URL_OF_SERVER}/under/api/agents/a%2F..%2Fb%3Fc`);
    await expect(read('..')).rejects.toThrow('".." is no agent_id');
    await expect(read('')).rejects.toThrow('"" is no agent_id');
  });

  test('says so, when what answers is no Everturn server', async () => {
    const { client } = clientOf([new Response('<!doctype html>')]);
    await expect(client.request('GET', '/api/agents')).rejects.toThrow('no address of an Everturn server');
  });

  test('is not taken to another server', async () => {
    const location = 'https://www.example.com/api/agents';
    const { client, requests } = clientOf([new Response(null, { status: 308, headers: { location } })]);
    const redirected = client.request('POST', '/api/agents', { body: { name: 'Helper' } });
    await expect(redirected).rejects.toThrow(`redirects to ${location}: use the address of the server itself`);
    expect(requests.map(({ redirect }) => redirect)).toEqual(['manual']);
  });

  test('reads each record of a list once, when one is added between two pages', async () => {
    const page = (ids: string[], link = '<?offset=2>; rel="next"') =>
      answer(
        200,
        ids.map((id) => ({ id })),
        { link },
      );
    const { client } = clientOf([page(['d', 'c']), page(['c', 'b']), page(['b', 'a'], '')]);
    const ids: string[] = [];
    for await (const { id } of client.list('/api/agents')) ids.push(id);
    expect(ids).toEqual(['d', 'c', 'b', 'a']);
  });
});

describe('a stream of events', () => {
  async function read(body: ReadableStream<Uint8Array<ArrayBuffer>>, idleMs = 60_000): Promise<ServerEvent[]> {
    const events: ServerEvent[] = [];
    for await (const event of readEvents({ body, url: URL_OF_SERVER }, { signal: undefined, idleMs }))
      events.push(event);
    return events;
  }

  test('is read whatever its bytes are cut into, without an event that was cut off', async () => {
    const text = ': hi\n\nid: 1\nevent: a\ndata: {"x":"é"}\n\nevent: b\r\ndata:1\r\ndata: 2\r\n\r\nevent: c\ndata: cut';
    const bytes = new TextEncoder().encode(text);
    const events = await read(ReadableStream.from(Array.from(bytes, (byte) => Uint8Array.of(byte))));
    expect(events).toEqual([
      { event: 'a', id: '1', data: '{"x":"é"}' },
      { event: 'b', id: undefined, data: '1\n2' },
    ]);
  });

  test('counts as lost, when nothing comes for too long', async () => {
    await expect(read(new ReadableStream(), 1)).rejects.toThrow(APITimeoutError);
  });
});
