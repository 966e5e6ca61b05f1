import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeCertificate } from '../../../../test/support/certificate.ts';
import { GitServer } from '../../../../test/support/git-server.ts';
import { longTest } from '../../../../test/support/in-length.ts';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../../../../test/support/test-sandbox.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import { TokenFailure } from '../../../integrations/request-token.ts';
import type { ToolContext } from '../../context.ts';
import type { ToolArguments } from '../../tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { gitClone } from './git-clone.ts';

const TOKEN = 'canary-8d1f0c5ab2';

describeSandboxed('git_clone', () => {
  let box: TestSandbox;
  let server: GitServer;
  let tools: TestTools;

  beforeAll(async () => {
    box = await openTestSandbox();
  });
  afterAll(async () => {
    await box.close();
  });
  beforeEach(async () => {
    server = await GitServer.start();
    await server.make('app');
    await open(true);
  });
  afterEach(async () => {
    await tools.close();
    await server.close();
  });

  async function open(hasIntegration: boolean): Promise<void> {
    await tools?.close();
    const git = { kind: 'git' as const, name: 'Our git', apiUrl: server.url, fields: ['token'], secretPlaces: [] };
    const integrations = hasIntegration ? [{ ...git, secrets: { token: TOKEN } }] : [];
    tools = await createTestTools({ sandbox: box.sandbox, privateHosts: server.host, integrations });
  }

  async function clone(args: ToolArguments = {}, context: Partial<ToolContext> = {}): Promise<string> {
    const call = prepareCall(gitClone, { url: `${server.url}/app.git`, ...args });
    return String((await call.run({ ...tools.context, ...context })).value);
  }

  const read = async (path: string) => readFile(join(tools.home, path), 'utf8');

  /** Returns every text below the workspace that holds the token, in clear or as it is sent. */
  async function leaks(): Promise<string[]> {
    const names = await readdir(tools.home, { recursive: true, withFileTypes: true });
    const files = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
    const texts = await Promise.all(files.map(async (path) => [path, await readFile(path, 'latin1')] as const));
    return texts.filter(([, text]) => isLeak(text)).map(([path]) => path);
  }

  const isLeak = (text: string) =>
    text.includes(TOKEN) || text.includes(Buffer.from(`x-access-token:${TOKEN}`).toString('base64'));

  test('gets a repository that everybody may read, and only its last commits', async () => {
    await open(false);
    await server.commit('app', { 'a.txt': 'a\n' }, 'Go on');
    expect(await clone({ depth: 1 })).toMatch(
      /^Cloned .*\/app\.git into app\.\nThe branch is main, at [0-9a-f]{40}: Go on\nOnly the last 1 commits are there\.$/,
    );
    expect(await read('app/readme.txt')).toBe('app\n');
    expect(await read('app/.git/config')).toContain(`url = ${server.url}/app.git`);
    expect(await clone({ dir: 'other/place', depth: 0 })).not.toContain('Only');
    expect((await readdir(tools.home)).toSorted()).toEqual(['app', 'other']);
  });

  test('gets a private repository with a token that nothing inside can see', async () => {
    server.users = [{ token: TOKEN, mayPush: false }];
    expect(isLeak(await clone())).toBe(false);
    expect(await read('app/readme.txt')).toBe('app\n');
    expect(await leaks()).toEqual([]);
    expect(server.seen.every(({ authorization }) => authorization !== undefined)).toBe(true);
  });

  test('speaks https to the server, whose certificate has to be valid', async () => {
    await server.close();
    const certificate = await makeCertificate();
    server = await GitServer.start(certificate);
    await server.make('app');
    server.users = [{ token: TOKEN, mayPush: false }];
    await open(true);
    await expect(clone()).rejects.toMatchObject({
      kind: 'upstream',
      message: expect.stringContaining('its certificate is invalid'),
    });
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, certificate.cert]);
    try {
      await clone();
    } finally {
      setDefaultCACertificates(trusted);
    }
    expect(await read('app/readme.txt')).toBe('app\n');
    expect(await read('app/.git/config')).toContain(`url = https://`);
    expect(await leaks()).toEqual([]);
  });

  test('says how credentials are added when there are none, or which of them are not enough', async () => {
    server.users = [{ token: 'another', mayPush: false }];
    await expect(clone()).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('The credentials of "Our git" were tried'),
    });
    await open(false);
    await expect(clone()).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('may manage integrations can add'),
    });
    await expect(clone({ url: `${server.url}/none.git` })).rejects.toThrow('may not be read');
    expect(await readdir(tools.home)).toEqual([]);
  });

  longTest('tries the credentials of the host one after the other', async () => {
    server.users = [{ token: 'second-token', mayPush: false }];
    const git = { kind: 'git' as const, apiUrl: server.url, fields: ['token'], secretPlaces: [] };
    await tools.close();
    tools = await createTestTools({
      sandbox: box.sandbox,
      privateHosts: server.host,
      integrations: [
        { ...git, name: 'First', secrets: { token: 'first-token' } },
        { ...git, name: 'Elsewhere', apiUrl: `${server.url}/team`, secrets: { token: 'other-token' } },
        { ...git, name: 'Second', secrets: { token: 'somebody:second-token' } },
      ],
    });
    await clone();
    const sent = server.seen.map(({ authorization = '' }) => atob(authorization.replace('Basic ', '')));
    expect([...new Set(sent)]).toEqual(['x-access-token:first-token', 'somebody:second-token']);
  });

  test('renews a token that the host does not take any more, once', async () => {
    server.users = [{ token: 'renewed-token', mayPush: false }];
    const rejected: unknown[] = [];
    const renew = async (old: Readonly<Record<string, string>>) => {
      rejected.push(old['token']);
      return { token: 'renewed-token' };
    };
    const ours = { kind: 'github' as const, name: 'Ours', apiUrl: `${server.url}/api/v3`, fields: ['token'] };
    await tools.close();
    tools = await createTestTools({
      sandbox: box.sandbox,
      privateHosts: server.host,
      integrations: [{ ...ours, secretPlaces: [], secrets: { token: 'former-token' }, renew }],
    });
    await clone();
    expect(rejected).toEqual(['former-token']);
    const sent = server.seen.map(({ authorization = '' }) => atob(authorization.replace('Basic ', '')));
    expect(sent).toEqual(
      ['former-token', ...sent.slice(1).map(() => 'renewed-token')].map((t) => `x-access-token:${t}`),
    );
  });

  describe('with a token that the host does not take any more and that cannot be renewed', () => {
    const ENDED = 'The sign-in of the integration Ours has ended: somebody has to sign in again';
    const git = { kind: 'git' as const, fields: ['token'], secretPlaces: [] };
    const renew = async () => {
      throw new ToolFailure('denied', 'cannot be used', { cause: new TokenFailure('ended', ENDED) });
    };
    async function openWith(others: readonly { name: string; secrets: { token: string } }[] = []): Promise<void> {
      await tools.close();
      const ours = { ...git, name: 'Ours', apiUrl: server.url, secrets: { token: 'former-token' }, renew };
      const integrations = [ours, ...others.map((each) => ({ ...git, ...each, apiUrl: server.url }))];
      tools = await createTestTools({ sandbox: box.sandbox, privateHosts: server.host, integrations });
    }
    const rejectFormer = () => {
      server.instead = ({ headers: { authorization = '' } }, response) => {
        if (!atob(authorization.replace('Basic ', '')).endsWith(':former-token')) return false;
        response.writeHead(401).end();
        return true;
      };
    };

    test('gets a repository that everybody may read', async () => {
      rejectFormer();
      await openWith();
      await clone();
      expect(await read('app/readme.txt')).toBe('app\n');
    });

    test('tries the next credentials', async () => {
      server.users = [{ token: 'second-token', mayPush: false }];
      await openWith([{ name: 'Second', secrets: { token: 'second-token' } }]);
      await clone();
      expect(await read('app/readme.txt')).toBe('app\n');
    });

    test('says why, when no others are enough', async () => {
      server.users = [{ token: 'another', mayPush: false }];
      await openWith();
      const failed = clone();
      await expect(failed).rejects.toMatchObject({ kind: 'denied', message: expect.stringContaining(`. ${ENDED}`) });
      await expect(failed).rejects.not.toThrow('"Ours" were tried');
      await openWith([{ name: 'Second', secrets: { token: 'second-token' } }]);
      await expect(clone()).rejects.toThrow(`${ENDED}. The credentials of "Second" were tried`);
    });
  });

  test('repeated, it clones once, and finishes what a worker had begun that died', async () => {
    const first = await clone();
    const requests = server.seen.length;
    expect(await clone()).toBe(first);
    expect(server.seen).toHaveLength(requests);
    await expect(clone({}, { idempotencyKey: 'another' })).rejects.toThrow('app is there already');
    const stop = new AbortController();
    let posts = 0;
    server.instead = ({ method }) => {
      if (method === 'POST') posts += 1;
      return method === 'POST';
    };
    const dying = prepareCall(gitClone, { url: `${server.url}/app.git`, dir: 'cut' }).run(
      tools.options.contextFor(stop.signal),
    );
    await waitUntil('the request for the content', () => posts > 0 || undefined);
    stop.abort(new Error('the worker died'));
    await expect(dying).rejects.toThrow('the worker died');
    expect(await readdir(tools.home)).toEqual([expect.stringMatching(/^\.everturn-clone-/), 'app']);
    server.instead = () => false;
    await clone({ dir: 'cut' });
    expect(await readdir(tools.home)).toEqual(['app', 'cut']);
    expect(await read('cut/readme.txt')).toBe('app\n');
  });

  test('sends credentials along no redirect but that to the name with the ending of Git', async () => {
    const other = await GitServer.start();
    await other.make('app');
    server.instead = ({ url = '' }, response) => {
      if (url.startsWith('/app.git/')) return false;
      const target = url.startsWith('/app/') ? url.replace('/app/', '/app.git/') : url.replace('/away', other.url);
      response.writeHead(301, { location: target.replace('/old/', '/new/') }).end();
      return true;
    };
    await clone({ url: `${server.url}/app` });
    await expect(clone({ url: `${server.url}/old/x` })).rejects.toThrow(`use ${server.url}/new/x`);
    await expect(clone({ url: `${server.url}/away/app`, dir: 'away' })).rejects.toThrow('redirect to another address');
    expect(other.seen).toEqual([]);
    await other.close();
  });

  longTest('a server that is no git server, breaks off or cannot be reached is named as what it is', async () => {
    server.instead = (_request, response) => {
      response.end('hello');
      return true;
    };
    await expect(clone()).rejects.toThrow('no repository that git can reach');
    server.instead = ({ socket }) => {
      socket.destroy();
      return true;
    };
    await expect(clone()).rejects.toMatchObject({ kind: 'upstream' });
    await expect(clone({ url: 'https://127.0.0.1:1/app' })).rejects.toMatchObject({ kind: 'denied' });
    await expect(clone({ url: 'http://example.com/app' })).rejects.toThrow('https only');
    const secret = prepareCall(gitClone, { url: `https://somebody:${TOKEN}@example.com/a/b` });
    expect(secret.label).toBe('git clone');
    await expect(secret.run(tools.context)).rejects.toThrow('must not contain a user name or token');
    for (const url of ['ext::sh', 'file:///work', 'ssh://git@example.com/a/b', '--upload-pack=x'])
      await expect(clone({ url })).rejects.toMatchObject({ kind: 'invalid_input' });
    await expect(clone({ dir: '../x' })).rejects.toMatchObject({ kind: 'invalid_input' });
    await expect(clone({ dir: 'a/.git/x' })).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test('another repository, a push and other addresses are refused on the way to one, and the token is not there', async () => {
    await server.make('other');
    const ending = await tools.context.runCommand({
      command: [
        '/bin/sh',
        '-c',
        `git=$(git config --get-regexp insteadof | cut -d' ' -f1 | cut -d. -f2- | sed s/.insteadof//)
        for path in app.git/info/refs?service=git-upload-pack app.git/info/refs?service=git-receive-pack \\
          other.git/info/refs?service=git-upload-pack app.git/../other.git/info/refs?service=git-upload-pack \\
          app.git/HEAD app.git/info/refs '?'; do
          curl -s -o /dev/null --path-as-is -w "%{http_code} " "$git$path"
        done
        curl -s -o /dev/null -w "%{http_code} " ${server.url}/app.git/info/refs?service=git-upload-pack
        curl -s -o /dev/null -p -w "%{http_connect} " ${server.url}/
        env; cat /proc/*/environ /proc/*/cmdline`,
      ],
      workspace: 'read',
      remote: { url: `${server.url}/app.git` },
      timeoutMs: 60_000,
    });
    const text = ending.stdout.toString();
    expect(text).toMatch(/^200 403 403 403 403 403 403 403 403 /);
    expect(isLeak(text)).toBe(false);
    expect(server.seen.map(({ url }) => url)).toEqual(['/app.git/info/refs?service=git-upload-pack']);
  });

  test('the token is not in what is shown of a server that repeats it', async () => {
    server.instead = ({ method, headers, url = '' }, response) => {
      if (method === 'GET') return false;
      const text = `\u0002${headers.authorization} ${TOKEN} ${url}\n`;
      const line = `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' }).end(`0008NAK\n${line}0000`);
      return true;
    };
    const error: unknown = await clone().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'invalid_input' });
    expect(isLeak(String(error))).toBe(false);
  });

  test('its process ends when it is interrupted', async () => {
    const stop = new AbortController();
    server.instead = () => {
      stop.abort(new Error('interrupted'));
      return true;
    };
    const call = prepareCall(gitClone, { url: `${server.url}/app.git` });
    await expect(call.run(tools.options.contextFor(stop.signal))).rejects.toThrow('interrupted');
    await expect(access(join(tools.home, 'app'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
