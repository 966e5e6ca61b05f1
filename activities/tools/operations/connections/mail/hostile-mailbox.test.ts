import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { parsePrivateHosts } from '../../../../../domain/network/addresses.ts';
import { createGuardedFetch } from '../../../../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../../../../core/network/guarded-http.ts';
import { inMailbox } from '../imap.ts';

const TOO_LARGE = /answer (?:of the mailbox )?is too large: ask for less$/;
const READY = '* OK [CAPABILITY IMAP4rev1] ready\r\n';

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

/** Answers the commands of a client: what is said instead of the answer to one, by its name. */
async function listen(greeting: string, said: Readonly<Record<string, string>>): Promise<number> {
  server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
        const [tag = '', ...words] = line.split(' ');
        const name = words[0] === 'UID' ? `UID ${words[1]}` : (words[0] ?? '');
        socket.write(`${said[name] ?? ''}${tag} OK done\r\n`);
      }
    });
    socket.write(greeting);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function find(port: number): Promise<{ total: number }> {
  const guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${port}`));
  const reach = { sockets: guarded, http: createGuardedHttp(guarded.fetch), signal: new AbortController().signal };
  const account = {
    kind: 'imap' as const,
    name: 'hostile',
    apiUrl: `imap://127.0.0.1:${port}`,
    settings: { tls: 'off' },
    secrets: { user: 'agents', password: 'a-password' },
    mask: (text: string) => text,
  };
  try {
    const page = { limit: 1, beforeUid: 1 };
    return await inMailbox(account, async (mailbox) => mailbox.find('INBOX', {}, page), reach);
  } finally {
    await guarded.close();
  }
}

const list = (parts: number) => `* LIST (${'a '.repeat(parts)}) "/" x\r\n`;
const numbers = (count: number) => `* SEARCH ${Array.from({ length: count }, (_, index) => index + 1).join(' ')}\r\n`;
const FOLDER = '* 100000 EXISTS\r\n* OK [UIDVALIDITY 1] x\r\n';

test.each<[string, string, Readonly<Record<string, string>>]>([
  ['a greeting without an end', `* OK ${'a'.repeat(300_000)}\r\n`, {}],
  ['a line of many parts before the sign-in', READY, { CAPABILITY: list(3_900_000), LOGIN: list(3_900_000) }],
  ['many lines before the sign-in', READY.concat(list(100_000).repeat(6)), {}],
  [
    'many parts afterwards',
    READY,
    { SELECT: FOLDER, EXAMINE: FOLDER, 'UID SEARCH': `* LIST ${'('.repeat(100_001)}\r\n` },
  ],
  ['a long line afterwards', READY, { SELECT: FOLDER, EXAMINE: FOLDER, 'UID SEARCH': numbers(200_000) }],
])('a server that sends %s is left', async (_what, greeting, said) => {
  const port = await listen(greeting, said);
  await expect(find(port)).rejects.toThrow(TOO_LARGE);
});

test('a folder may have a hundred thousand mails', async () => {
  const port = await listen(READY, { SELECT: FOLDER, EXAMINE: FOLDER, 'UID SEARCH': numbers(99_999) });
  expect(await find(port)).toMatchObject({ mails: [] });
});
