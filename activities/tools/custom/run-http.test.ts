import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { inspectTool } from '../../../domain/tools/inspect-tool.ts';
import { json, OutsideServer } from '../../../test/support/outside-server.ts';
import { createTestTools, type TestTools } from '../../../test/support/tool-context.ts';
import type { OpenedIntegration } from '../context.ts';
import type { ToolArguments } from '../tool.ts';
import { customTool } from './custom-tool.ts';

const SECRET = 'a/very+secret token';
const encoded = encodeURIComponent(SECRET);
let server: OutsideServer;
let other: OutsideServer;
let tools: TestTools;
const integrations: OpenedIntegration[] = [];
beforeAll(async () => {
  [server, other] = await Promise.all([OutsideServer.start(), OutsideServer.start()]);
  const privateHosts = `127.0.0.1:${server.port},127.0.0.1:${other.port}`;
  tools = await createTestTools({ privateHosts, integrations });
});
afterAll(async () => {
  await tools.close();
  server.close();
  other.close();
});
beforeEach(() => {
  for (const each of [server, other]) {
    each.seen.length = 0;
    each.reply = json({ ok: true });
  }
  setIntegration({});
});

function setIntegration(fields: Partial<OpenedIntegration>): void {
  const secrets = { token: SECRET };
  const tracker = { name: 'Tracker', apiUrl: `${server.url}/api`, fields: ['token'], secrets };
  integrations[0] = { ...tracker, secretPlaces: ['header', 'query', 'path', 'body'], ...fields };
}

async function run({ effect = 'read', ...request }: Record<string, unknown>, args: ToolArguments = {}) {
  const tool = { parameters: { type: 'object', properties: { a: {} } }, runtime: 'http' };
  const template = {
    method: 'GET',
    url: `${server.url}/api/x`,
    headers: { 'X-Token': '{{ secret.token }}' },
    ...request,
  };
  const files = [
    ['tool.json', JSON.stringify({ ...tool, effect, integration: 'Tracker' })],
    ['http.json', JSON.stringify(template)],
  ] as const;
  const inspection = inspectTool({ key: 'mine', name: 'Mine', description: 'Does it.' }, new Map(files));
  if ('problem' in inspection) throw new Error(inspection.problem);
  const outcome = await customTool(inspection.tool).run(args, tools.options);
  const text = JSON.stringify(outcome);
  for (const form of [
    SECRET,
    encoded,
    'very+secret',
    'very%2Bsecret',
    Buffer.from(SECRET).toString('base64').slice(4, 16),
  ])
    expect(text).not.toContain(form);
  return outcome;
}

describe('a token that the service does not take any more', () => {
  const RENEWED = 'a renewed/secret+token';
  let rejected: unknown[];
  const post = { method: 'POST', effect: 'once', body: { a: 1 } };
  beforeEach(() => {
    rejected = [];
    setIntegration({
      renew: async (old) => {
        rejected.push(old);
        return { token: RENEWED };
      },
    });
    server.reply = (response, request) => {
      const isTaken = request.headers['x-token'] === RENEWED;
      json({ said: `${SECRET} ${RENEWED}` }, isTaken ? 200 : 401)(response, request);
    };
  });

  test('is renewed, and the request is sent once more, whatever it does: a 401 has done nothing', async () => {
    const outcome = await run(post);
    expect(outcome.status).toBe('success');
    expect(JSON.stringify(outcome)).not.toContain(RENEWED);
    expect(server.seen.map(({ headers, body }) => [headers['x-token'], body])).toEqual([
      [SECRET, '{"a":1}'],
      [RENEWED, '{"a":1}'],
    ]);
    expect(rejected).toEqual([{ token: SECRET }]);
  });

  test('is renewed once: when that is rejected too, the call says so', async () => {
    server.reply = json({}, 401);
    expect(await run(post)).toMatchObject({ status: 'error', result: expect.stringContaining('denied') });
    expect([server.seen.length, rejected.length]).toEqual([2, 1]);
  });

  test.each(['/api/y', '/api/x'])(
    'is not renewed after a redirect to %s: the effect may be there',
    async (location) => {
      server.reply = (response, request) => {
        if (request.method === 'POST') response.writeHead(303, { location }).end();
        else json({}, 401)(response, request);
      };
      expect(await run(post)).toMatchObject({ status: 'error' });
      expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /api/x', `GET ${location}`]);
      expect(rejected).toEqual([]);
    },
  );
});

describe('a request', () => {
  test('sends the secrets in every position', async () => {
    const outcome = await run({
      method: 'POST',
      url: `${server.url}/api/{{ secret.token }}?k={{ secret.token }}`,
      body: { t: '{{ secret.token }}' },
    });
    expect(outcome.status).toBe('success');
    expect(server.seen).toMatchObject([
      {
        url: `/api/${encoded}?k=${encoded}`,
        headers: { 'x-token': SECRET },
        body: JSON.stringify({ t: SECRET }),
      },
    ]);
  });

  test.each<[string, (path: string) => string]>([
    ['another server', (path) => `${other.url}/api/${path}`],
    ['another path', (path) => `${server.url}/${path}`],
    ['a path that leads up', (path) => `${server.url}/api/../${path}`],
    ['a path that leads up for those who decode it', (path) => `${server.url}/api/%2e%2e%2f${path}`],
    ['another name of the server', (path) => `http://localhost:${server.port}/api/${path}`],
  ])('is not made to %s', async (_where, url) => {
    const outcome = await run({ url: url('x') });
    expect(outcome).toMatchObject({ status: 'error', result: expect.stringContaining('"class":"denied"') });
    expect([...server.seen, ...other.seen]).toEqual([]);
  });

  test.each(['Range', 'rANGE', 'If-Range'])('does not ask for a part of an answer with %s', async (name) => {
    const headers = { 'X-Token': '{{ secret.token }}', [name]: '{{ a }}' };
    await expect(run({ headers }, { a: 'bytes=0-6' })).rejects.toThrow(
      `http.json: headers.${name}: a request with credentials cannot ask for a part of an answer`,
    );
    const withoutSecrets = await run({ headers: { [name]: '{{ a }}' } }, { a: 'bytes=0-6' });
    expect(withoutSecrets.status).toBe('success');
  });

  test('goes no further up by an argument', async () => {
    const outcome = await run({ url: `${server.url}/api/{{ a }}/x` }, { a: '../../other' });
    expect(outcome).toMatchObject({ status: 'error', result: expect.stringContaining('would leave the address') });
    expect(server.seen).toEqual([]);
  });

  test.each<[string, () => string]>([
    ['another server', () => `${other.url}/api/x`],
    ['another path', () => `${server.url}/other`],
  ])('is not sent on to %s', async (_where, location) => {
    server.reply = (response) => void response.writeHead(302, { location: location() }).end();
    const outcome = await run({ headers: { 'User-Agent': '{{ secret.token }}' } });
    expect(outcome).toMatchObject({ status: 'success', result: expect.stringContaining('HTTP status 302') });
    expect([server.seen.length, other.seen.length]).toEqual([1, 0]);
  });

  test('is sent on below the address', async () => {
    server.reply = (response, request) => {
      if (request.url !== '/api/x') return json({})(response, request);
      response.writeHead(301, { location: '/api/y' }).end();
    };
    await run({});
    expect(server.seen.map(({ url, headers }) => [url, headers['x-token']])).toEqual([
      ['/api/x', SECRET],
      ['/api/y', SECRET],
    ]);
  });

  test('is not made when the integration has changed since the tool was offered', async () => {
    for (const change of [
      { name: 'Renamed' },
      { fields: [], secrets: {} },
      { secretPlaces: [] },
      { apiUrl: other.url },
    ]) {
      setIntegration(change);
      expect(await run({})).toMatchObject({ status: 'error', result: expect.stringContaining('cannot be used') });
    }
    expect([...server.seen, ...other.seen]).toEqual([]);
  });
});

describe('an answer that repeats a secret', () => {
  const echoes: readonly [string, (text: string) => string, string][] = [
    ['as text', (text) => `you sent ${text}`, 'text/plain'],
    ['as JSON', (text) => JSON.stringify({ you: { sent: [text] } }), 'application/json'],
    [
      'as JSON with escapes',
      (text) => JSON.stringify({ you: text }).replaceAll('/', String.raw`\/`),
      'application/json',
    ],
    ['encoded', (text) => `?you=${encodeURIComponent(text)}`, 'text/plain'],
    ['in Base64', (text) => Buffer.from(`me:${text}`).toString('base64'), 'text/plain'],
    ['in another charset', (text) => text, 'text/plain; charset=iso-8859-1'],
  ];

  test.each(echoes)('is masked %s', async (_how, write, type) => {
    server.reply = (response) => void response.writeHead(200, { 'content-type': type }).end(write(SECRET));
    expect((await run({})).result).toContain('***');
    const shaped = await run({ result: '$string($) & $base64encode($string(body))' });
    expect(shaped.status).toBe('success');
  });

  test('is masked in headers, the address and failures', async () => {
    server.reply = (response) => void response.writeHead(200, { 'x-echo': SECRET }).end();
    const query = { t: '{{ secret.token }}' };
    expect((await run({ query })).result).toMatch(/address: [^\n]*\?t=\*\*\*[\s\S]*x-echo: \*\*\*/);
    server.reply = (response) => void response.writeHead(422).end(`no such token: ${SECRET}`);
    expect((await run({})).result).toContain('no such token: ***');
    expect((await run({ result: 'headers.`x-none`' })).status).toBe('error');
    expect((await run({ result: 'body.(' })).result).toContain('could not be made');
  });

  test.each([{}, { result: 'body' }])('is not shown in part, with %j', async (shape) => {
    const part = SECRET.slice(2, 9);
    const headers = { 'content-type': 'application/json', 'content-range': 'bytes 2-8/19' };
    server.reply = (response) => void response.writeHead(206, headers).end(part);
    const { result } = await run(shape);
    expect(result).toContain('which is not shown');
    expect(result).not.toContain(part);
  });

  test('does not show the part of it that an answer without an end ends with', async () => {
    const room = 2 * 1024 * 1024 - 12;
    server.reply = (response) => void response.writeHead(200).end(`${'x'.repeat(room)}${SECRET}${'y'.repeat(1_000)}`);
    const { result } = await run({});
    expect(result).not.toContain('a/very+s');
  });
});
