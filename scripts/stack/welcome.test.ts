import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registrationOf, welcome } from './welcome.ts';

const linkWith = (digit: string) => `https://agents.example.com/register?setup_token=et_setup_${digit.repeat(48)}`;
const logged = (link: string) =>
  `${JSON.stringify({ msg: `nobody has an account on this server yet: create the first one at ${link}` })}\n`;

let folder: string;
let api: Server;
let answer: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'welcome-'));
  api = createServer((request, response) => {
    response.end(request.url === '/api/server' ? answer : 'null');
  });
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
});
afterEach(async () => {
  api.close();
  await rm(folder, { recursive: true });
});

/** Returns what is printed for a server that describes itself so, and has logged this. */
async function printed(server: Record<string, unknown>, log = ''): Promise<string> {
  answer = JSON.stringify(server);
  await writeFile(join(folder, 'api.log'), log);
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const registration = await registrationOf(url, join(folder, 'api.log'));
  return welcome({ url, home: folder, seconds: 1, registration });
}

test('commands to try are printed where everybody may register', async () => {
  const block = await printed({ registration: 'open', needs_setup_token: false }, logged(linkWith('a')));
  expect(block).toContain('/auth/register');
  expect(block).not.toContain('setup_token');
});

test.each(['invite', 'closed'])(
  'the newest link to the first account is printed on an empty server with %s',
  async (registration) => {
    const log = logged(linkWith('a')) + logged(linkWith('b'));
    const block = await printed({ registration, needs_setup_token: true }, log);
    expect(block).toContain(`\n  ${linkWith('b')}\n`);
    expect(block).not.toContain(linkWith('a'));
    expect(block).not.toContain('/auth/register');
  },
);

test('the log is named on an empty server whose link is not found in it', async () => {
  const block = await printed({ registration: 'invite', needs_setup_token: true });
  expect(block).toContain(`\n  ${join(folder, 'api.log')}\n`);
  expect(block).not.toContain('/auth/register');
});

test.each([{ registration: 'invite', needs_setup_token: false }, { detail: 'Too many requests' }])(
  'nothing to try is printed where registration is not known to be open: %j',
  async (server) => {
    const block = await printed(server, logged(linkWith('a')));
    expect(block).toContain('Everturn is ready');
    expect(block).not.toMatch(/register|account/);
  },
);
