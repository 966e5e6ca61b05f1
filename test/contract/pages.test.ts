import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import express from 'express';
import type { ApiContext } from '../../api/context/api-context.ts';
import { serveDocuments } from '../../api/serve-documents.ts';
import { newTokenValue } from '../../api/access/tokens.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { routesThat } from './route-list.ts';

const served = serveTestApi();

async function open(path: string) {
  const answer = await fetch(`${served.url}${path}`, { redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** The directives of an answer's Content-Security-Policy. */
function policyOf(headers: Headers): Record<string, string> {
  const directives = (headers.get('content-security-policy') ?? '').split(/; ?/);
  return Object.fromEntries(directives.map((directive) => directive.split(/ (.*)/s, 2)));
}

describe('GET /docs', () => {
  test('loads a viewer of the description from this server, and may load nothing from elsewhere', async () => {
    const { headers, text } = await open('/docs');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = policyOf(headers);
    expect(policy).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'connect-src': "'self'",
      'frame-ancestors': "'none'",
      'form-action': "'none'",
    });
    for (const sources of Object.values(policy)) expect(sources).not.toMatch(/https?:|\*|unsafe-eval/);
    const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? '');
    expect(loaded).toEqual(expect.arrayContaining(['/docs/viewer.js', '/docs/viewer.css', '/docs/start.js']));
    expect(loaded.filter((path) => !/^\/[^/]/.test(path))).toEqual([]);
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)/);
  });

  test.each([
    ['/docs/viewer.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle'],
    ['/docs/start.js', 'text/javascript; charset=utf-8', "url: '/openapi.json'"],
    ['/docs/viewer.css', 'text/css; charset=utf-8', '.swagger-ui'],
  ])('finds %s, as what it is', async (path, type, word) => {
    const { status, headers, text } = await open(path);
    expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      200,
      type,
      'nosniff',
    ]);
    expect(headers.get('cache-control')).toBe('public, max-age=86400');
    expect(text).toContain(word);
  });

  test('lists every route to those who run no scripts', async () => {
    const [, listed = ''] = (await open('/docs')).text.split('<noscript>');
    for (const { route } of routesThat()) expect(listed).toContain(`<code>${route.path}</code>`);
  });
});

test('a document is packed only for those who can unpack it', async () => {
  const sizeWith = async (encoding: string) =>
    new Promise<[string | undefined, number]>((resolve, reject) => {
      const request = get(`${served.url}/openapi.json`, { headers: { 'accept-encoding': encoding } }, (answer) => {
        let size = 0;
        answer.on('data', (chunk: Buffer) => (size += chunk.byteLength));
        answer.on('end', () => resolve([answer.headers['content-encoding'], size]));
      });
      request.on('error', reject);
    });
  const [packedAs, packed] = await sizeWith('gzip');
  const [plainAs, plain] = await sizeWith('identity');
  expect([packedAs, plainAs]).toEqual(['gzip', undefined]);
  expect(packed).toBeLessThan(plain / 4);
});

test('a document that could not be rendered is rendered for the next request', async () => {
  let isBroken = true;
  const render = () => {
    if (isBroken) throw new Error('the file cannot be read');
    return Buffer.from('the document');
  };
  const context = {
    trustedProxies: () => false,
    requestLimits: { countStranger: async () => undefined },
    unsentAnswers: { track: () => undefined },
  } as unknown as ApiContext;
  const app = express().set('env', 'test');
  serveDocuments(app, { documents: [{ path: '/document', type: 'text/plain', render }], hasConsole: true }, context);
  const server = createServer(app).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/document`;
    expect((await fetch(url)).status).toBe(500);
    isBroken = false;
    const answer = await fetch(url);
    expect([answer.headers.get('content-encoding'), await answer.text()]).toEqual(['gzip', 'the document']);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('the root of an api without a console says how one is built, where the log is, and what there is instead', async () => {
  const { status, text } = await open('/');
  expect(status).toBe(200);
  for (const said of ['npm start', 'logs/console.log', 'CONSOLE_DIR', 'href="/docs"']) expect(text).toContain(said);
});

describe('GET /join', () => {
  test('says how to redeem the invite whose token the link contains', async () => {
    const { value } = newTokenValue('et_inv');
    const { status, headers, text } = await open(`/join?token=${value}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain(`curl https://everturn.example.com/api/orgs/invite/${value}`);
    for (const path of ['/api/auth/register', '/api/orgs/accept-invite', '/api/auth/cli/redeem']) {
      expect(routesThat((route) => route.path === path)).toHaveLength(1);
      expect(text).toContain(`https://everturn.example.com${path}`);
    }
    expect(text.split(value)).toHaveLength(5);
  });
});

describe('GET /set-password', () => {
  test('says how to set a password with the token that the link contains', async () => {
    const { value } = newTokenValue('et_pwd');
    const { status, headers, text } = await open(`/set-password?token=${value}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(routesThat((route) => route.path === '/api/auth/password')).toHaveLength(1);
    expect(text).toContain('https://everturn.example.com/api/auth/password');
    expect(text.split(value)).toHaveLength(2);
  });
});

describe.each([
  ['/join', 'et_inv'],
  ['/set-password', 'et_pwd'],
] as const)('GET %s', (path, prefix) => {
  test('keeps the token: no cache, no other site and no script gets to see it', async () => {
    const { headers } = await open(`${path}?token=${newTokenValue(prefix).value}`);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
    expect(policyOf(headers)).toMatchObject({ 'default-src': "'none'", 'frame-ancestors': "'none'" });
    expect(policyOf(headers)).not.toHaveProperty('script-src');
  });

  test.each([
    '',
    '?token=',
    '?token=%3Cscript%3Ealert(1)%3C/script%3E',
    `?token=${prefix}_0123456789abcdef_%22%3E%3Cb%3E`,
    `?token=et_key_0123456789abcdef_${'A'.repeat(43)}`,
    '?token[a]=1',
    '?token=a&token=b',
  ])('shows nothing of what is no token: %s', async (query) => {
    const { status, text } = await open(`${path}${query}`);
    expect([status, text]).toEqual([200, (await open(path)).text]);
    expect(text).toContain('THE_TOKEN');
  });
});
