import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { registerUser } from '../../test/support/factories.ts';
import { invite, newEmail } from '../../test/support/invitations.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { installLineForPowerShell, installLineForSh, quoteForPowerShell, quoteForSh } from './routes.ts';

const run = promisify(execFile);
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'everturn-install-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));
const sh = async (line: string) =>
  run('/bin/sh', ['-c', line], { env: { HOME: home, PATH: '/usr/bin:/bin' }, cwd: home });

const HOSTILE = [
  "it's",
  "'",
  "''; touch pwned; '",
  '$(touch pwned)',
  '`touch pwned`',
  '"; touch pwned; "',
  String.raw`\'; touch pwned; \'`,
  '$HOME ${HOME} $1 !! %s %d',
  'a\nb\ttouch pwned\r\n',
  '&& touch pwned || | > pwned',
  '-n',
  '',
  '\u2018; ni pwned; \u2019 \u201A \u201B',
];

describe('quoteForSh', () => {
  test.each(HOSTILE)('makes one word of %j that says nothing else to a shell', async (text) => {
    const { stdout } = await sh(`printf '%s|' ${quoteForSh(text)} end; ls -A`);
    expect(stdout).toBe(`${text}|end|`);
  });
});

describe('quoteForPowerShell', () => {
  test.each(HOSTILE)('makes one literal of %j: every quote in it is doubled', (text) => {
    const quoted = quoteForPowerShell(text);
    expect(quoted.startsWith("'") && quoted.endsWith("'")).toBe(true);
    const inner = quoted.slice(1, -1);
    expect(inner.replaceAll(/(['\u2018\u2019\u201A\u201B])\1/g, '')).not.toMatch(/['\u2018\u2019\u201A\u201B]/);
    expect(inner.replaceAll(/(['\u2018\u2019\u201A\u201B])\1/g, '$1')).toBe(text);
  });
});

describe('installLineForSh', () => {
  const served = serveTestApi();

  test('signs the machine in when a shell runs it, and keeps the credentials for its user alone', async () => {
    const owner = await registerUser(served.url);
    const { token } = await invite(owner, { email: newEmail() });
    await sh(installLineForSh({ publicUrl: served.url, token }));
    const file = join(home, '.everturn/credentials.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { api_key: apiKey } = JSON.parse(readFileSync(file, 'utf8')) as { api_key: string };
    expect((await owner.client.as(apiKey).get('/api/users/me')).status).toBe(200);
  });

  test('fails, and keeps what was there, when the invite is used up', async () => {
    const owner = await registerUser(served.url);
    const { token } = await invite(owner, { email: newEmail() });
    const line = installLineForSh({ publicUrl: served.url, token });
    await sh(line);
    const before = readFileSync(join(home, '.everturn/credentials.json'), 'utf8');
    await expect(sh(line)).rejects.toThrow('404');
    expect(readFileSync(join(home, '.everturn/credentials.json'), 'utf8')).toBe(before);
  });

  test('asks the address as it is given, whatever it contains for a shell', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const path = "/it's/$(touch$IFS'pwned')/`id`;&|";
    await sh(`${installLineForSh({ publicUrl: `http://127.0.0.1:${port}${path}`, token: 'et_inv_x' })}; ls > listed`);
    server.close();
    expect(asked).toEqual([`${path}/api/auth/cli/redeem`]);
    expect(readFileSync(join(home, 'listed'), 'utf8')).toBe('listed\n');
  });
});

describe('installLineForPowerShell', () => {
  test('contains the token and the address as literals, on one line', () => {
    const line = installLineForPowerShell({ publicUrl: "https://example.com/it's", token: 'et_inv_x' });
    expect(line).toContain("token = 'et_inv_x'");
    expect(line).toContain("-Uri 'https://example.com/it''s/api/auth/cli/redeem'");
    expect(line).not.toContain('\n');
  });
});
