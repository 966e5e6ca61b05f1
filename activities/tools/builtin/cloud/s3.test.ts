import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { S3 } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createGuardedFetch } from '../../../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../../../core/network/guarded-http.ts';
import { parsePrivateHosts } from '../../../../domain/network/addresses.ts';
import { json, OutsideServer, type SeenRequest } from '../../../../test/support/outside-server.ts';
import { type S3Server, startS3Server } from '../../../../test/support/s3-server.ts';
import {
  createTestTools,
  prepareCall,
  type TestIntegration,
  type TestTools,
} from '../../../../test/support/tool-context.ts';
import { inObjects } from '../../operations/connections/s3/s3.ts';
import { signIn } from '../../operations/connections/open-connections.ts';
import type { ToolArguments } from '../../tool.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { s3 } from './s3.ts';

const SECRET = 'S3RVER';
let store: S3Server;
let outside: OutsideServer;
let tools: TestTools;
let official: S3;
let integrations: Record<'ours' | 'wrong' | 'web' | 'private', TestIntegration>;
beforeAll(async () => {
  [store, outside] = await Promise.all([startS3Server(), OutsideServer.start()]);
  const at = (name: string, port: number, more = {}): TestIntegration => ({
    kind: 's3',
    name,
    apiUrl: `http://127.0.0.1:${port}`,
    fields: ['access_key_id', 'secret_access_key'],
    secretPlaces: [],
    settings: { region: 'us-east-1', bucket: 'files' },
    secrets: { access_key_id: 'S3RVER', secret_access_key: SECRET },
    ...more,
  });
  const wrong = { access_key_id: 'S3RVER', secret_access_key: 'another-secret-of-the-tests' };
  integrations = {
    ours: at('ours', store.port),
    wrong: at('wrong', store.port, { secrets: { ...wrong, access_key_id: 'nobody' } }),
    web: at('web', outside.port, { secrets: wrong }),
    private: at('private', 9),
  };
  tools = await createTestTools({
    privateHosts: `127.0.0.1:${store.port},127.0.0.1:${outside.port}`,
    integrations: Object.values(integrations),
  });
  official = new S3({ region: 'us-east-1', endpoint: `http://127.0.0.1:${store.port}`, forcePathStyle: true });
});
afterAll(async () => {
  official.destroy();
  outside.close();
  await tools.close();
  await store.close();
});
beforeEach(async () => {
  outside.seen.length = 0;
  const { Contents: contents = [] } = await official.listObjectsV2({ Bucket: 'files' });
  for (const { Key } of contents) await official.deleteObject({ Bucket: 'files', Key });
});

const use = async (args: ToolArguments, context = tools.context) => {
  const output = await prepareCall(s3, { integration: 'ours', ...args }).run(context);
  expect(output.isForeign).toBe(true);
  return output.value;
};
const another = () => ({ ...tools.context, idempotencyKey: 'another-call' });
const stored = async (Key: string) => (await official.getObject({ Bucket: 'files', Key })).Body?.transformToString();

/** Returns the header that signs a request as it has come, byte by byte (AWS Signature Version 4). */
function signatureOf({ method, url, headers }: SeenRequest): string {
  const [path = '', query = ''] = url.split('?');
  const [, scope = '', names = ''] =
    /Credential=S3RVER\/(\S+), SignedHeaders=(\S+),/.exec(headers.authorization ?? '') ?? [];
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}`);
  const sorted = query.split('&').toSorted().join('&');
  const canonical = [method, path, sorted, ...lines, '', names, headers['x-amz-content-sha256']].join('\n');
  const hash = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash].join('\n');
  const secret = Buffer.from('AWS4another-secret-of-the-tests');
  const hmac = (key: Buffer, part: string) => createHmac('sha256', key).update(part).digest();
  const signature = hmac(scope.split('/').reduce(hmac, secret), text).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=S3RVER/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}

describe('s3', () => {
  test.each([
    [{ action: 'list' }, 'read', 'writes'],
    [{ action: 'get', key: 'a' }, 'keyed', 'never'],
    [{ action: 'put', key: 'a', content: 'x' }, 'keyed', 'never'],
    [{ action: 'put', key: 'a', content: 'x', overwrite: true }, 'keyed', 'writes'],
    [{ action: 'copy', from_key: 'a', key: 'b' }, 'keyed', 'never'],
    [{ action: 'copy', from_key: 'a', key: 'b', overwrite: true }, 'keyed', 'writes'],
    [{ action: 'delete', key: 'a' }, 'keyed', 'writes'],
    [{ action: 'presign', key: 'a' }, 'read', 'writes'],
  ])('has a call of %j %s, and wait for a person as %s says', (args, effect, approval) => {
    expect(s3.prepare(args)).toMatchObject({ effect, approval });
  });

  test('stores a text and a file of the workspace, which the official client reads', async () => {
    expect(await use({ action: 'put', key: "a/b c+d'(1)é.txt", content: 'Grüße' })).toMatchObject({ bytes: 7 });
    expect(await stored("a/b c+d'(1)é.txt")).toBe('Grüße');
    const bytes = randomBytes(3 * 1024 * 1024);
    const options = { overwrite: true, createFolders: true, isForeign: false };
    await tools.context.workspace.write(filePath('in.bin'), bytes, options);
    await use({ action: 'put', key: 'in.bin', file: 'in.bin', content_type: 'application/zip' });
    const { Body: body, ContentType: type } = await official.getObject({ Bucket: 'files', Key: 'in.bin' });
    expect(bytes.equals(Buffer.from((await body?.transformToByteArray()) ?? []))).toBe(true);
    expect(type).toBe('application/zip');
  });

  test('replaces no object unless it is to, and the same call again changes nothing', async () => {
    const args = { action: 'put', key: 'k', content: 'first' };
    await use(args);
    await use(args);
    const other = { ...args, content: 'second' };
    await expect(use(other, another())).rejects.toMatchObject({
      kind: 'invalid_input',
      message: 'There is an object at k already: set overwrite to replace it',
    });
    expect(await stored('k')).toBe('first');
    await use({ ...other, overwrite: true }, another());
    expect(await stored('k')).toBe('second');
  });

  test('asks a store that knows conditions to replace nothing, and finds its own write behind a refusal', async () => {
    let key = '';
    outside.reply = (response, { method, headers }) => {
      if (method === 'PUT') key = String(headers['x-amz-meta-everturn-call']);
      if (method === 'PUT') response.writeHead(412).end();
      else if (key === '') response.writeHead(404).end();
      else response.writeHead(200, { 'x-amz-meta-everturn-call': key }).end();
    };
    await use({ action: 'put', key: 'k', content: 'x', integration: 'web' });
    expect(outside.seen.map(({ method }) => method)).toEqual(['HEAD', 'PUT', 'HEAD']);
    expect(outside.seen[1]?.headers).toMatchObject({ 'if-none-match': '*' });
    expect(key).toBe(tools.context.idempotencyKey);
  });

  test.each<ToolArguments>([
    { action: 'put', key: 'k', content: 'x' },
    { action: 'copy', from_key: 'from', key: 'k' },
  ])('does %j without the condition in a store that does not know it', async (args) => {
    outside.reply = (response, { method, url, headers }) => {
      if (method === 'HEAD') response.writeHead(url.endsWith('/from') ? 200 : 404, { etag: '"x"' }).end();
      else if (headers['if-none-match'] !== undefined)
        response.writeHead(501).end('<Error><Code>NotImplemented</Code><Message>A header</Message></Error>');
      else response.writeHead(200, { etag: '"x"' }).end('<CopyObjectResult><ETag>x</ETag></CopyObjectResult>');
    };
    await use({ ...args, integration: 'web' });
    const writes = outside.seen.filter(({ method }) => method === 'PUT');
    expect(writes.map(({ headers }) => headers['if-none-match'])).toEqual(['*', undefined]);
  });

  test('has stored nothing where the store does not know what was asked, and waits for another write', async () => {
    const put = { action: 'put', key: 'k', content: 'x', integration: 'web' };
    const refuse = (status: number, code: string) => {
      outside.reply = (response, { method }) => {
        if (method === 'HEAD') response.writeHead(404).end();
        else response.writeHead(status).end(`<Error><Code>${code}</Code><Message>No</Message></Error>`);
      };
    };
    refuse(501, 'NotImplemented');
    await expect(use(put)).rejects.toMatchObject({ kind: 'upstream', isUncertain: false });
    refuse(409, 'ConditionalRequestConflict');
    await expect(use(put)).rejects.toMatchObject({ kind: 'rate_limited', isUncertain: false });
  });

  test('shows a short text, and reads all else into a file that is marked', async () => {
    await official.putObject({ Bucket: 'files', Key: 'note.txt', Body: 'From outside', ContentType: 'text/plain' });
    await official.putObject({ Bucket: 'files', Key: 'x/..%2f.. $(id).bin', Body: Buffer.from([0, 1, 255]) });
    await official.putObject({ Bucket: 'files', Key: 'empty', Body: Buffer.alloc(0) });
    expect(await use({ action: 'get', key: 'note.txt' })).toMatchObject({
      type: 'text/plain',
      content: 'From outside',
    });
    expect(await use({ action: 'get', key: 'empty' })).toMatchObject({ bytes: 0, content: '' });
    expect(await use({ action: 'get', key: 'note.txt', file: 'in/note.txt' })).toMatchObject({ file: 'in/note.txt' });
    expect(await readFile(join(tools.home, 'in/note.txt'), 'utf8')).toBe('From outside');
    const binary = await use({ action: 'get', key: 'x/..%2f.. $(id).bin' });
    expect(binary).toMatchObject({ bytes: 3, file: expect.stringMatching(/^s3-objects\/[\da-f]{8}-[\w.-]+\.bin$/) });
    const { file } = binary as { file: string };
    expect(await readFile(join(tools.home, file))).toEqual(Buffer.from([0, 1, 255]));
    expect(await tools.context.workspace.isForeign(filePath(file))).toBe(true);
  });

  test('lists keys, folders and buckets', async () => {
    for (const Key of ['in/a', 'in/b', 'top']) await official.putObject({ Bucket: 'files', Key, Body: 'x' });
    expect(await use({ action: 'list', prefix: 'in/' })).toMatchObject({
      objects: [{ key: 'in/a', bytes: 1, modified: expect.any(String) }, { key: 'in/b' }],
      next: undefined,
    });
    expect(await use({ action: 'list', folders: true })).toMatchObject({ objects: [{ key: 'top' }], folders: ['in/'] });
    expect(await use({ action: 'list_buckets' })).toMatchObject({ buckets: [{ name: 'files' }] });
  });

  test('continues a list where a former page says', async () => {
    outside.reply = (response) => {
      const page = `<Name>files</Name><KeyCount>1</KeyCount><IsTruncated>true</IsTruncated><NextContinuationToken>a+/b=</NextContinuationToken><Contents><Key>k</Key><Size>7</Size></Contents>`;
      response.end(`<?xml version="1.0"?><ListBucketResult>${page}</ListBucketResult>`);
    };
    const page = { objects: [{ key: 'k', bytes: 7, modified: null }], next: 'a+/b=' };
    expect(await use({ action: 'list', integration: 'web' })).toEqual(page);
    await use({ action: 'list', integration: 'web', cursor: page.next });
    const { searchParams: asked } = new URL(outside.seen[1]?.url ?? '', store.filesUrl);
    expect(Object.fromEntries(asked)).toMatchObject({ 'continuation-token': 'a+/b=', 'max-keys': '100' });
  });

  test('sends what was signed', async () => {
    outside.reply = (response) => response.writeHead(200, { etag: '"x"' }).end();
    const put = { action: 'put', key: "a/b c+d'(1)*!é~.txt", content: 'x', overwrite: true, integration: 'web' };
    await use(put);
    await expect(use({ action: 'list', prefix: "a/b c+'(1)*", integration: 'web' })).rejects.toThrow('base_url');
    expect(outside.seen.map(({ method }) => method)).toEqual(['PUT', 'GET']);
    for (const seen of outside.seen) expect(seen.headers.authorization).toBe(signatureOf(seen));
  });

  test('copies and deletes, once and again', async () => {
    await use({ action: 'put', key: 'a b/ü', content: 'x' });
    const copy = { action: 'copy', from_key: 'a b/ü', key: 'c' };
    await use(copy);
    await use(copy);
    expect(await stored('c')).toBe('x');
    await official.putObject({ Bucket: 'files', Key: 'other', Body: 'y' });
    await expect(use({ ...copy, key: 'other' })).rejects.toThrow('set overwrite');
    await use({ ...copy, key: 'other', overwrite: true });
    expect(await stored('other')).toBe('x');
    await use({ action: 'delete', key: 'c' });
    await use({ action: 'delete', key: 'c' });
    await expect(stored('c')).rejects.toThrow();
    await expect(use({ ...copy, from_key: 'none' })).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('makes a link that works without credentials, for at most a day', async () => {
    await use({ action: 'put', key: 'a/b c.txt', content: 'Hello' });
    const { url } = (await use({ action: 'presign', key: 'a/b c.txt', expires_s: 60 })) as { url: string };
    expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('60');
    const request = { url, method: 'GET', headers: {}, followRedirects: false, timeoutMs: 60_000, maxBytes: 100 };
    const { status, body } = await tools.context.http.request({ ...request, signal: tools.context.signal });
    expect([status, body.toString()]).toEqual([200, 'Hello']);
    expect(new URL(url).searchParams.get('X-Amz-Signature')).toMatch(/^[\da-f]{64}$/);
    expect(s3.prepare({ action: 'presign', key: 'x', expires_s: 86_401 })).toHaveProperty('error');
    await expect(use({ action: 'presign', key: 'none' })).rejects.toMatchObject({ kind: 'not_found' });
  });

  test.each([
    [{ action: 'list', bucket: 'nothing-here' }, 'not_found', /status 404: NoSuchBucket: /],
    [{ action: 'get', key: 'none' }, 'not_found', /There is no object at none/],
    [{ action: 'list', integration: 'wrong' }, 'denied', /rejected the credentials/],
    [{ action: 'put', key: 'x' }, 'invalid_input', /either `content` or `file`/],
    [{ action: 'list', integration: 'private' }, 'denied', /leads to a private address/],
  ])('says why %j fails', async (args, kind, words) => {
    const failure = use(args);
    await expect(failure).rejects.toMatchObject({ kind });
    await expect(failure).rejects.toThrow(words);
  });

  test.each(['../../other-bucket/x', 'a/../b', './a', 'a/..'])('sends nothing for the key %s', async (key) => {
    await expect(use({ action: 'delete', key, integration: 'web' })).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(outside.seen).toEqual([]);
  });

  test.each(['a/../b', 'x@evil.example', 'evil.example/', 'a', '127.0.0.1:1/x'])('%s is no bucket', (bucket) => {
    expect(s3.prepare({ action: 'list', bucket })).toHaveProperty('error');
  });

  test('repeats the words of a store without the secret in them', async () => {
    outside.reply = (response) => {
      const said = `<Error><Code>AccessDenied</Code><Message>No, another-secret-of-the-tests</Message></Error>`;
      response.writeHead(403, { 'content-type': 'application/xml' }).end(said);
    };
    const failure = use({ action: 'list', integration: 'web' });
    await expect(failure).rejects.toMatchObject({ kind: 'denied', isForeign: true });
    await expect(failure).rejects.toThrow(/status 403: AccessDenied: No, \*\*\*$/);
  });

  test.each([
    ['JSON', json({ not: 'S3' })],
    ['a page', (response: Parameters<typeof outside.reply>[0]) => response.end('<html>Welcome</html>')],
  ])('an answer that is %s is none of a store', async (_what, reply) => {
    outside.reply = reply;
    const output = use({ action: 'list', integration: 'web' });
    await expect(output).rejects.toMatchObject({
      kind: 'upstream',
      message: expect.stringContaining('check the base_url'),
    });
  });

  test.each<ToolArguments>([
    { action: 'put', key: 'k', content: 'x', overwrite: true },
    { action: 'delete', key: 'k' },
  ])('may have done %j when the store fails in the middle of it, and not when it refuses', async (args) => {
    outside.reply = (response) => response.writeHead(500).end();
    await expect(use({ ...args, integration: 'web' })).rejects.toMatchObject({ kind: 'upstream', isUncertain: true });
    outside.reply = (response) => response.writeHead(403).end();
    await expect(use({ ...args, integration: 'web' })).rejects.toMatchObject({ kind: 'denied', isUncertain: false });
  });

  test('may have stored what is answered with a web page', async () => {
    outside.reply = (response) => response.end('<html>Sign in</html>');
    const put = use({ action: 'put', key: 'k', content: 'x', overwrite: true, integration: 'web' });
    await expect(put).rejects.toMatchObject({ kind: 'upstream', isUncertain: true });
    const list = use({ action: 'list', integration: 'web' });
    await expect(list).rejects.toMatchObject({ kind: 'upstream', isUncertain: false });
  });

  test.each<[string, string, ToolArguments, number]>([
    ['large', ' '.repeat(1_048_577), { action: 'list' }, 200],
    ['large', ' '.repeat(1_048_577), { action: 'list_buckets' }, 200],
    ['large', ' '.repeat(1_048_577), { action: 'delete', key: 'k' }, 403],
    ['many-branched', '<a/>'.repeat(20_001), { action: 'list' }, 200],
    ['many-branched', '&lt;'.repeat(20_001), { action: 'list' }, 403],
  ])('takes no %s document apart', async (_what, document, args, status) => {
    outside.reply = (response) => response.writeHead(status).end(document);
    const output = use({ ...args, integration: 'web' });
    await expect(output).rejects.toMatchObject({ kind: 'upstream', isUncertain: args['action'] === 'delete' });
    await expect(output).rejects.toThrow(/The answer (?:is larger than 1048576 bytes|has more than 20000 tags)/);
  });

  test('reads objects that are larger than its documents may be, and no such refusal to give them', async () => {
    const object = { bucket: 'files', key: 'k' };
    const account = { settings: {}, ...integrations.web, kind: 's3' as const, mask: (text: string) => text };
    const read = async () => inObjects(account, async (at) => at.read(object), tools.context);
    outside.reply = (response) => response.end('<'.repeat(1_048_577));
    expect(await read()).toHaveLength(1_048_577);
    outside.reply = (response) => response.writeHead(403).end('<'.repeat(1_048_577));
    await expect(read()).rejects.toThrow('The answer is larger than 1048576 bytes');
  });

  test('follows no redirect with the keys', async () => {
    outside.reply = (response) => response.writeHead(307, { location: `http://127.0.0.1:${store.port}/files` }).end();
    await expect(use({ action: 'list', integration: 'web' })).rejects.toThrow(/status 307/);
    expect(outside.seen).toHaveLength(1);
  });
});

test.each([
  ['ours', null],
  ['wrong', 'S3 has rejected the credentials: somebody must check the integration'],
] as const)('a test of the integration %s says %j', async (name, error) => {
  const guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${store.port}`));
  const http = createGuardedHttp(guarded.fetch);
  const reach = { sockets: guarded, http, signal: new AbortController().signal };
  const account = { kind: 's3' as const, settings: {}, ...integrations[name], mask: (text: string) => text };
  expect(await signIn({ ...account, kind: 's3' }, reach)).toBe(error);
  await guarded.close();
});

test.each([
  ['https://s3.amazonaws.com', undefined, 'https://files.s3.eu-central-1.amazonaws.com/k'],
  ['https://s3.amazonaws.com', 'yes', 'https://s3.eu-central-1.amazonaws.com/files/k'],
  ['https://minio.example.com/store', undefined, 'https://minio.example.com/store/files/k'],
  ['https://r2.example.com', 'no', 'https://files.r2.example.com/k'],
])('objects of %s with the path style %s are at %s', async (apiUrl, pathStyle, address) => {
  const settings = { region: 'eu-central-1', ...(pathStyle !== undefined && { path_style: pathStyle }) };
  const account = { ...integrations.ours, apiUrl, settings, kind: 's3' as const, mask: (text: string) => text };
  const { http, signal } = tools.context;
  const url = await inObjects(account, async (at) => at.presign({ bucket: 'files', key: 'k' }, 60), { http, signal });
  expect(url.split('?')[0]).toBe(address);
});

test.each(['eu-central-1.evil.example/', 'EU', ''])('the region %j is none', async (region) => {
  const account = { ...integrations.ours, settings: { region }, kind: 's3' as const, mask: (text: string) => text };
  const { http, signal } = tools.context;
  const listed = inObjects(account, async (at) => at.listBuckets(undefined), { http, signal });
  await expect(listed).rejects.toMatchObject({ kind: 'invalid_input' });
});
