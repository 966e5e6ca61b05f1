import { expect } from '@jest/globals';
import { waitUntil } from '../../support/wait-until.ts';
import type { Attack, AttackFamily } from '../attack.ts';
import { pipeline } from '../pipeline.ts';
import { RawConnection, requestHead } from '../raw-connection.ts';
import { tally } from '../tally.ts';

/** Addresses of this machine, so that strangers use up what their own may ask for, and not what everybody's may. */
const ADDRESSES = Array.from({ length: 40 }, (_, at) => `127.0.9.${at + 1}`);
/** What of 128 MiB is room for. */
const MOST_OPEN = 134;
const NOBODY = { Authorization: 'Bearer nobody' };

/** What anybody can send without an account. */
export const strangers: AttackFamily = {
  name: 'strangers',
  attacks: [
    floods('asks for the description of the api eight at a time over 200 connections', 'GET /openapi.json', 200),
    floods('asks for paths that do not exist over 200 connections', `GET /api/${'x/'.repeat(500)}`, 200),
    floods('asks for the health eight at a time over 200 connections', 'GET /readyz', 200),
    floods('calls the service by foreign names over 200 connections', 'GET /api/agents', 200, { Host: 'evil.example' }),
    floods('asks without credentials over 200 connections', 'GET /api/agents', 200),
    {
      name: 'opens sockets as a page does, with tokens that are no good',
      run: async (attacker) => {
        const head = requestHead(attacker, `GET /ws/chat/${await attacker.chat()}?token=nobody`, {
          Origin: 'https://evil.example',
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Version': 13,
          'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        });
        const codes = await attacker.repeat(
          40,
          async (index) => {
            const connection = await RawConnection.open(attacker, ADDRESSES[index % ADDRESSES.length]);
            connection.send(head);
            await waitUntil('the connection to be over', () => connection.isClosed || undefined);
            return closeCodeOf(connection);
          },
          60_000,
        );
        expect(codes.every((code) => code === 4401 || code === 1013)).toBe(true);
        return `${codes.length} handshakes, closed with ${tally(codes)}`;
      },
    },
    {
      name: 'leaves 600 bodies of a megabyte unfinished',
      run: async (attacker) => {
        const body = `{"email":"x@example.com","password":"${'a'.repeat(999_900)}`;
        const head =
          `POST /api/auth/login HTTP/1.1\r\nHost: ${new URL(attacker.url).host}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length + 50}\r\n\r\n`;
        const data = Buffer.from(head + body);
        const connections = await Promise.all(
          Array.from({ length: 600 }, async (_, at) => {
            const connection = await RawConnection.open(attacker, ADDRESSES[at % ADDRESSES.length]);
            void connection.deliver(data);
            return connection;
          }),
        );
        const open = () => connections.filter(({ received }) => received === '').length;
        await waitUntil('all that finds no room to be refused', () => open() <= MOST_OPEN || undefined);
        const statuses = await Promise.all(
          connections.map(async (connection) => (connection.received === '' ? 'held' : connection.status(100))),
        );
        expect(open()).toBeGreaterThan(0);
        expect(statuses).toContain(429);
        return tally(statuses);
      },
    },
  ],
};

/** The code of the close frame that follows the head of an answer. */
function closeCodeOf({ received }: RawConnection): number {
  const frame = Buffer.from(received.slice(received.indexOf('\r\n\r\n') + 4), 'latin1');
  return frame.byteLength >= 4 ? frame.readUInt16BE(2) : 0;
}

function floods(name: string, line: string, connections: number, headers: Record<string, string> = {}): Attack {
  return {
    name,
    run: async (attacker) =>
      pipeline(attacker, { line, connections, headers: { ...NOBODY, ...headers }, addresses: ADDRESSES }),
  };
}
