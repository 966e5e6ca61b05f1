import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { parsePrivateHosts } from '../../../../../domain/network/addresses.ts';
import type { SignInKindKey } from '../../../../../domain/integrations/kinds/index.ts';
import { createGuardedFetch } from '../../../../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../../../../core/network/guarded-http.ts';
import { signIn } from '../open-connections.ts';

const ROWS = 1_000_000;

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

/** A packet of MySQL with its number. */
function packet(number: number, ...parts: readonly (Buffer | number[] | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head[3] = number;
  return Buffer.concat([head, body]);
}

/** A message of PostgreSQL. */
function message(type: string, ...parts: readonly (Buffer | number[] | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const MYSQL_GREETING = packet(
  0,
  [10],
  '8.0.0\0',
  [1, 0, 0, 0],
  'abcdefgh\0',
  // What it is capable of: the protocol of 4.1, secure authentication.
  [0x00, 0x82, 33, 2, 0, 0x08, 0x00, 21],
  Buffer.alloc(10),
  'ijklmnopqrst\0',
  'mysql_native_password\0',
);
const named = (text: string) => [Buffer.from([text.length]), text] as const;
const mysqlRows = (numberOf: (index: number) => number) =>
  Buffer.concat([
    packet(1, [1]),
    packet(2, ...named('def'), [0, 0, 0, 1], 'g', [0, 12, 33, 0, 255, 0, 0, 0, 253, 0, 0, 0, 0, 0]),
    packet(3, [0xfe, 0, 0, 2, 0]),
    ...Array.from({ length: ROWS }, (_, index) => Buffer.from([1, 0, 0, numberOf(index), 0xfb])),
  ]);
const POSTGRES_READY = Buffer.concat([message('R', [0, 0, 0, 0]), message('Z', 'I')]);
const POSTGRES_ROWS = Buffer.concat([
  message('T', [0, 1], 'a\0', Buffer.alloc(6), [0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0]),
  ...Array.from({ length: ROWS }, () => message('D', [0, 1, 255, 255, 255, 255])),
]);

const MYSQL_IN = packet(2, [0, 0, 0, 2, 0, 0, 0]);
const TOO_LARGE = 'The answer is larger than 262144 bytes: ask for less';
const DISORDER = 'MySQL does not keep to its protocol: check the base_url';

async function listen(greeting: Buffer, answers: readonly Buffer[]): Promise<number> {
  server = createServer((socket) => {
    const left = [...answers];
    socket.on('error', () => socket.destroy());
    socket.on('data', () => socket.write(left.shift() ?? ''));
    socket.write(greeting);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test.each<[SignInKindKey, string, Buffer, readonly Buffer[]]>([
  ['mysql', TOO_LARGE, MYSQL_GREETING, [MYSQL_IN, mysqlRows((index) => (index + 4) % 256)]],
  ['mysql', DISORDER, MYSQL_GREETING, [MYSQL_IN, mysqlRows(() => 4)]],
  ['postgres', TOO_LARGE, Buffer.alloc(0), [POSTGRES_READY, POSTGRES_ROWS]],
])('a server of %s that signs one in with rows without end is left: %s', async (kind, words, ...wire) => {
  const port = await listen(...wire);
  const guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${port}`));
  const reach = { sockets: guarded, http: createGuardedHttp(guarded.fetch), signal: new AbortController().signal };
  const account = {
    kind,
    name: 'hostile',
    apiUrl: `${kind}://127.0.0.1:${port}/db`,
    settings: { tls: 'off' },
    secrets: { user: 'agents', password: 'a-password' },
    mask: (text: string) => text,
  };
  try {
    expect(await signIn(account, reach)).toBe(words);
  } finally {
    await guarded.close();
  }
});
