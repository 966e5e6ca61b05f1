import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const PAGE = '<!doctype html><title>Everturn</title>';
const SCRIPT = 'export const words = "words";\n'.repeat(100);
const folder = mkdtempSync(join(tmpdir(), 'everturn-console-'));
const write = (path: string, content: string | Buffer) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
};
write('index.html', PAGE);
write('stamp', 'a-stamp');
write('theme.js', '// theme');
write('push-worker.js', '// worker');
write('app.webmanifest', '{}');
write('icon-192.png', Buffer.from([0x89, 0x50]));
write('assets/main-1.js', SCRIPT);
write('assets/main-1.js.br', brotliCompressSync(SCRIPT));
write('assets/main-1.js.gz', gzipSync(SCRIPT));
write('before/assets/main-0.js', '// before');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const served = serveTestApi({ consoleDir: folder });

/** Reads what is sent, undecoded. */
async function open(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; bytes: Buffer }>(
    (resolve, reject) => {
      get(`${served.url}${path}`, { headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(parts) }),
        );
      }).on('error', reject);
    },
  );
}

describe('the console', () => {
  test.each([
    '/',
    '/sign-in',
    '/register',
    '/join?token=x',
    '/set-password?token=x',
    '/welcome',
    '/o/an-id/agents',
    '/o/an-id/chats/a-chat',
  ])('answers its page at %s, to be asked for again each time', async (path) => {
    const { status, headers, bytes } = await open(path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(bytes.toString()).toBe(PAGE);
    const again = await open(path, { 'if-none-match': String(headers['etag']) });
    expect([again.status, again.bytes.length, again.headers['etag']]).toEqual([304, 0, headers['etag']]);
  });

  test('forbids its page everything but its own files, and every frame', async () => {
    const { headers } = await open('/');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; " +
        "connect-src 'self' wss://everturn.example.com; manifest-src 'self'; base-uri 'none'; form-action 'self'; " +
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types push-worker",
    );
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  test('sends a file in the coding that the browser takes, and lets it be kept for a year', async () => {
    for (const [accepted, coding, unpack] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['identity', undefined, (bytes: Buffer) => bytes],
    ] as const) {
      const { status, headers, bytes } = await open('/assets/main-1.js', { 'accept-encoding': accepted });
      expect([status, headers['content-encoding'], headers['vary']]).toEqual([200, coding, 'Accept-Encoding']);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(unpack(bytes).toString()).toBe(SCRIPT);
    }
  });

  test('has the worker of notifications asked for again each time, and load nothing', async () => {
    const { status, headers, bytes } = await open('/push-worker.js');
    expect([status, bytes.toString()]).toEqual([200, '// worker']);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'cache-control': 'no-cache',
    });
  });

  test.each([
    ['/app.webmanifest', 'application/manifest+json'],
    ['/icon-192.png', 'image/png'],
  ])('sends %s, by which it can be installed as an app, as %s', async (path, type) => {
    const { status, headers } = await open(path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, type, 'no-cache']);
  });

  test('still has the files of the build before, which open pages load', async () => {
    expect((await open('/assets/main-0.js')).bytes.toString()).toBe('// before');
  });

  test.each([
    '/assets/nothing.js',
    '/assets/../stamp',
    '/assets/..%2fstamp',
    '/stamp',
    '/index.html',
    '/before/assets/main-0.js',
    '/assets/main-1.js.br',
    '/o',
    '/agents',
    '/api/nothing',
  ])('leaves %s to the api, which has no such page', async (path) => {
    const { status, bytes } = await open(path);
    expect([status, JSON.parse(bytes.toString())]).toEqual([404, { detail: 'Page not found' }]);
  });
});
