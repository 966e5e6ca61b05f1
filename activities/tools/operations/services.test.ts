import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parsePrivateHosts } from '../../../domain/network/addresses.ts';
import { json, OutsideServer } from '../../../test/support/outside-server.ts';
import { createGuardedFetch } from '../../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../../core/network/guarded-http.ts';
import type { Service, ServiceRequest } from '../context.ts';
import { servicesOf } from './services.ts';

const TOKEN = 'ghp_a-token-of-the-tests';
const MIB = 1024 * 1024;
let server: OutsideServer;
let guarded: ReturnType<typeof createGuardedFetch>;
let uses: (string | null)[];
beforeAll(async () => {
  server = await OutsideServer.start();
  guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${server.port}`));
});
afterAll(async () => {
  await guarded.close();
  server.close();
});
beforeEach(() => {
  server.seen.length = 0;
  server.reply = json({});
  uses = [];
});

const account = (name: string) => ({
  kind: 'github' as const,
  name,
  apiUrl: `${server.url}/api`,
  settings: {},
  openSecrets: async () => ({ token: TOKEN }),
  noteUse: async (error: string | null) => void uses.push(error),
});

async function open(names = ['Code'], name?: string, isRepeated = false): Promise<Service> {
  const list = async () => names.map(account);
  return servicesOf({ http: createGuardedHttp(guarded.fetch), list, isRepeated }, new AbortController().signal)(
    ['github'],
    name,
  );
}

const send = async (request: Partial<ServiceRequest> = {}) =>
  (await open()).request({ path: '/things', effect: 'once', ...request });

const raw = (status: number, headers: Record<string, string>, body: string | Buffer) => (response: ServerResponse) => {
  response.writeHead(status, headers).end(body);
};

describe('the integration of a call', () => {
  test('is the only one of its kind, or the one that is named in whatever letters', async () => {
    expect((await open()).name).toBe('Code');
    expect((await open(['Code', 'Other'], 'other')).name).toBe('Other');
  });

  test('is not guessed: what there is, is said', async () => {
    await expect(open(['Code', 'Other'])).rejects.toMatchObject({
      kind: 'invalid_input',
      message: 'There are several integrations: name one of Code, Other',
    });
    await expect(open(['Code'], 'Else')).rejects.toMatchObject({ kind: 'not_found' });
    await expect(open([])).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('an integration with GitHub'),
    });
  });
});

describe('a request to a service', () => {
  test('sends the credentials, the headers of the kind and its parameters, and records that they were accepted', async () => {
    server.reply = json([{ id: 1 }]);
    const answer = await send({
      method: 'POST',
      query: { q: 'a b', n: 2, tag: ['x', 'y'], none: undefined },
      json: { a: 1 },
    });
    expect(answer.json()).toEqual([{ id: 1 }]);
    expect(server.seen).toMatchObject([
      {
        method: 'POST',
        url: '/api/things?q=a+b&n=2&tag=x&tag=y',
        headers: {
          authorization: `Bearer ${TOKEN}`,
          accept: 'application/vnd.github+json',
          'content-type': 'application/json',
        },
        body: '{"a":1}',
      },
    ]);
    expect(uses).toEqual([null]);
  });

  test.each(['/../other', '/%2e%2e/other', '/a/../../other', 'https://evil.example/api/x', 'nonsense'])(
    'to %s, which leaves the address of the integration, is not sent',
    async (path) => {
      await expect(send({ path })).rejects.toMatchObject({ kind: 'invalid_input' });
      expect(server.seen).toEqual([]);
    },
  );

  test('follows the whole address of a next page, below the same address only', async () => {
    await send({ path: `${server.url}/api/things?page=2` });
    expect(server.seen).toMatchObject([{ url: '/api/things?page=2' }]);
  });

  test('has all digits of the whole numbers that it is answered, and plain numbers otherwise', async () => {
    const numbers = '[{"id":1234567890123456789,"of":[-9007199254740993]},1.50,1e3,9007199254740991]';
    server.reply = raw(200, { 'content-type': 'application/json' }, numbers);
    expect((await send()).json()).toEqual([
      { id: '1234567890123456789', of: ['-9007199254740993'] },
      1.5,
      1000,
      9_007_199_254_740_991,
    ]);
  });

  test('whose answer repeats the secret shows it in no form', async () => {
    server.reply = json({ you: `Bearer ${TOKEN}`, inBase64: Buffer.from(TOKEN).toString('base64') });
    const answer = await send();
    expect(answer.text).not.toContain(TOKEN);
    expect(answer.json()).toEqual({ you: 'Bearer ***', inBase64: expect.stringContaining('***') });
  });
});

describe('a refusal is reported in the words of the service:', () => {
  test.each([
    [400, { message: 'Name is taken' }, 'invalid_input', 'Name is taken'],
    [422, { errors: { summary: 'is required' } }, 'invalid_input', 'summary: is required'],
    [400, { errorMessages: ['No such project'] }, 'invalid_input', 'No such project'],
    [400, { error: { message: 'Bad', details: [{ reason: 'why' }] } }, 'invalid_input', 'Bad; why'],
    [403, { error: 'forbidden' }, 'denied', 'forbidden'],
    [404, { detail: 'Gone' }, 'not_found', 'Gone'],
    [409, { title: 'Conflict' }, 'invalid_input', 'Conflict'],
  ])('%i with %j', async (status, body, kind, words) => {
    server.reply = json(body, status);
    await expect(send()).rejects.toMatchObject({
      kind,
      isForeign: true,
      isUncertain: false,
      waitMs: undefined,
      message: `GitHub answers with the status ${status}: ${words}`,
    });
    expect(uses).toEqual([]);
  });

  test('401, which is noted with the integration and contains no secret', async () => {
    server.reply = json({ message: `Bad credentials ${TOKEN}` }, 401);
    const failure = send();
    await expect(failure).rejects.toMatchObject({ kind: 'denied' });
    await expect(failure).rejects.not.toThrow(TOKEN);
    expect(uses).toEqual(['GitHub has rejected the credentials (status 401)']);
  });

  test('a page of HTML is not quoted', async () => {
    server.reply = raw(502, { 'content-type': 'text/html' }, '<html>Bad gateway</html>');
    await expect(send()).rejects.toMatchObject({
      kind: 'upstream',
      isUncertain: true,
      isForeign: false,
      message: 'GitHub answers with the status 502',
    });
  });

  test('a redirect is followed nowhere, with credentials or without', async () => {
    server.reply = raw(302, { location: `${server.url}/api/other` }, '');
    await expect(send()).rejects.toMatchObject({ kind: 'upstream', message: expect.stringContaining('redirects') });
    expect(server.seen).toHaveLength(1);
  });
});

describe('what takes something away', () => {
  const remove = async (isRepeated: boolean, request: Partial<ServiceRequest> = {}) => {
    const service = await open(['Code'], undefined, isRepeated);
    return service.request({ path: '/things/1', method: 'DELETE', effect: 'keyed', goneIsDone: true, ...request });
  };

  test.each([404, 410])('is done when a repeated call finds it gone (%i), and no other', async (status) => {
    server.reply = json({ message: 'Not Found' }, status);
    expect(await remove(true)).toMatchObject({ status });
    await expect(remove(false)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(remove(true, { goneIsDone: undefined })).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('is done when the first request broke off and the next one finds it gone', async () => {
    server.reply = (response) => {
      if (server.seen.length === 1) response.destroy();
      else response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    };
    expect(await remove(false)).toMatchObject({ status: 404 });
    expect(server.seen).toHaveLength(2);
  });
});

describe('a service that asks to wait', () => {
  test.each([
    [429, { 'retry-after': '90' }, 91_000],
    [429, {}, 60_000],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '30' }, 31_000],
    [403, { 'retry-after': '20' }, 21_000],
  ])('with %i and %j is waited for', async (status, headers, waitMs) => {
    server.reply = raw(status, { 'content-type': 'application/json', ...headers }, '{"message":"Slow down"}');
    await expect(send()).rejects.toMatchObject({ kind: 'rate_limited', waitMs, isUncertain: false });
    expect(server.seen).toHaveLength(1);
  });
});

test.each([
  { message: 'You have exceeded a secondary rate limit', parameters: { retry_after: 3_600 } },
  { message: 'The repository "rate limit" is archived', error: { errors: [{ reason: 'rateLimitExceeded' }] } },
])('a denial is none of a limit, whatever its text says: %j', async (body) => {
  server.reply = json(body, 403);
  await expect(send()).rejects.toMatchObject({ kind: 'denied', waitMs: undefined });
});

test('a service waits as long as its headers say, whatever the text of a 403 says', async () => {
  const headers = { 'content-type': 'application/json', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '30' };
  server.reply = raw(403, headers, '{"retry_after":86000}');
  await expect(send()).rejects.toMatchObject({ kind: 'rate_limited', waitMs: 31_000 });
});

describe('an answer', () => {
  test('that is no JSON is not taken for one', async () => {
    server.reply = raw(200, { 'content-type': 'text/html' }, '<html>Sign in</html>');
    const answer = await send({ effect: 'read' });
    expect(() => answer.json()).toThrow('is not JSON: check the base_url of the integration');
    const write = {
      kind: 'upstream',
      isUncertain: true,
      message: 'The answer of Code is a web page: check the base_url of the integration',
    };
    await expect(send({ effect: 'once' })).rejects.toMatchObject(write);
    await expect(send({ effect: 'keyed' })).rejects.toMatchObject(write);
  });

  test('of 50 MB is cut off, and a write that it answers is uncertain', async () => {
    let sent = 0;
    server.reply = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(MIB, 'x');
      const write = (): void => {
        while (sent < 50 && !response.destroyed) {
          sent += 1;
          if (!response.write(chunk)) {
            response.once('drain', write);
            return;
          }
        }
        response.end();
      };
      write();
    };
    await expect(send()).rejects.toMatchObject({
      kind: 'upstream',
      isUncertain: true,
      message: expect.stringContaining('is larger than'),
    });
    expect(sent).toBeLessThan(50);
  });

  test('that drips is aborted in time', async () => {
    let drip: NodeJS.Timeout | undefined;
    server.reply = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      drip = setInterval(() => response.write(' '), 20);
    };
    await expect(send({ effect: 'read', timeoutMs: 300 })).rejects.toMatchObject({ kind: 'timeout' });
    clearInterval(drip);
  });
});

describe('a token that the service does not take any more', () => {
  const RENEWED = 'ghp_a-token-that-was-renewed';

  /** Opens a service whose token can be renewed; `asked` has what was rejected each time. */
  async function openRenewable(renewed = RENEWED) {
    const asked: unknown[] = [];
    const renewable = {
      ...account('Code'),
      openSecrets: async (rejected?: unknown) => {
        if (rejected === undefined) return { token: TOKEN };
        asked.push(rejected);
        return { token: renewed };
      },
    };
    const http = createGuardedHttp(guarded.fetch);
    const list = async () => [renewable];
    const service = await servicesOf({ http, list, isRepeated: false }, new AbortController().signal)(
      ['github'],
      undefined,
    );
    return { service, asked };
  }

  const takes = (token: string) => {
    server.reply = (response, request) => {
      const isTaken = request.headers.authorization === `Bearer ${token}`;
      json({ said: `${TOKEN} ${RENEWED}` }, isTaken ? 200 : 401)(response, request);
    };
  };

  test('is renewed, and the request is sent once more, whatever it does: a 401 has done nothing', async () => {
    takes(RENEWED);
    const { service, asked } = await openRenewable();
    const answer = await service.request({ method: 'POST', path: '/things', json: { a: 1 }, effect: 'once' });
    expect(answer.json()).toEqual({ said: '*** ***' });
    expect(server.seen.map(({ headers, body }) => [headers.authorization, body])).toEqual([
      [`Bearer ${TOKEN}`, '{"a":1}'],
      [`Bearer ${RENEWED}`, '{"a":1}'],
    ]);
    expect([asked, uses, service.secrets]).toEqual([[{ token: TOKEN }], [null], { token: RENEWED }]);
  });

  test('is renewed once for the requests of a call, also for those that were sent at once', async () => {
    takes(RENEWED);
    const { service, asked } = await openRenewable();
    const request = { path: '/things', effect: 'read' } as const;
    await Promise.all([service.request(request), service.request(request)]);
    await service.request(request);
    expect([asked.length, server.seen.length]).toEqual([1, 5]);
  });

  test.each([
    ['what was renewed is rejected too', RENEWED, 2],
    ['nothing can be renewed', TOKEN, 1],
  ])('is told of when %s, without another attempt', async (_when, renewed, sent) => {
    takes('another-token');
    const { service, asked } = await openRenewable(renewed);
    const failure = service.request({ method: 'POST', path: '/things', effect: 'once' });
    await expect(failure).rejects.toMatchObject({ kind: 'denied', isUncertain: false });
    await expect(failure).rejects.not.toThrow(TOKEN);
    expect([asked.length, server.seen.length]).toEqual([1, sent]);
    expect(uses).toEqual(['GitHub has rejected the credentials (status 401)']);
  });
});
