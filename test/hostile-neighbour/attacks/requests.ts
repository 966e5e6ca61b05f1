import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { waitUntil } from '../../support/wait-until.ts';
import type { Attack, AttackFamily } from '../attack.ts';
import type { Attacker } from '../attacker.ts';
import { inChunksOfOne } from '../hostile-replies.ts';
import { PATIENCE_MS } from '../patience.ts';
import { pipeline } from '../pipeline.ts';
import { RawConnection, requestHead } from '../raw-connection.ts';
import { tally } from '../tally.ts';

const AT_ONCE = 20;
const TEN_THOUSAND = Array.from({ length: 10_000 }, (_, at) => at);
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** HTTP requests that are slow, huge or odd. */
export const requests: AttackFamily = {
  name: 'requests',
  attacks: [
    {
      name: 'sends 200 bodies a byte at a time',
      run: async (attacker) => {
        const slow = await Promise.all(Array.from({ length: 200 }, () => RawConnection.open(attacker)));
        for (const connection of slow) {
          connection.send(requestHead(attacker, 'POST /api/agents', { ...JSON_TYPE, 'Content-Length': 100_000 }));
        }
        return feedSlowly(attacker, slow, ' ');
      },
    },
    {
      name: 'sends 200 heads that never end',
      run: async (attacker) => {
        const slow = await Promise.all(Array.from({ length: 200 }, () => RawConnection.open(attacker)));
        for (const connection of slow) connection.send(requestHead(attacker, 'GET /api/agents').slice(0, -2));
        return feedSlowly(attacker, slow, 'X-More: x\r\n');
      },
    },
    sends('sends heads that are too large, too many, or full of tricks', [200, 400, 404, 414, 422, 431], (attacker) => [
      requestHead(attacker, 'GET /api/agents', { 'X-Large': 'h'.repeat(1_000_000) }),
      requestHead(attacker, 'GET /api/agents', Object.fromEntries(TEN_THOUSAND.map((at) => [`X-${at}`, 1]))),
      requestHead(attacker, `GET /api/agents?${'a[]=&'.repeat(3_000)}`),
      requestHead(attacker, `GET /api/agents/${'%2e%2e%2f'.repeat(500)}${'/..;/'.repeat(500)}%00`),
    ]),
    posts('sends bodies nested 5,000 deep', [422], () => `{"name":${'['.repeat(5_000)}${']'.repeat(5_000)}}`),
    posts('sends bodies nested 400,000 deep', [422], () => `{"name":${'['.repeat(400_000)}${']'.repeat(400_000)}}`),
    posts('sends megabytes of empty lists', [422], () => `{"mcps":[${'[],'.repeat(300_000)}[]]}`),
    posts('sends ten thousand unknown fields', [422], () =>
      JSON.stringify(Object.fromEntries(TEN_THOUSAND.map((at) => [`field ${at} ${'f'.repeat(60)}`, at]))),
    ),
    posts('sends bodies that are larger than allowed', [413], () => `{"name":"${'n'.repeat(5_000_000)}"}`),
    posts('stores agents of a hundred thousand characters', [201, 413, 429], (index) =>
      JSON.stringify({ name: `Agent ${index}`, system_prompt: 'p'.repeat(100_000) }),
    ),
    {
      name: 'packs bodies of 100 MB into small ones',
      run: async (attacker) => {
        const packed = gzipSync(Buffer.alloc(100_000_000, ' '));
        const answers = await attacker.repeat(
          AT_ONCE,
          async () => {
            const connection = await RawConnection.open(attacker);
            const headers = { ...JSON_TYPE, 'Content-Encoding': 'gzip', 'Content-Length': packed.length };
            connection.send(requestHead(attacker, 'POST /api/agents', headers));
            connection.socket.write(packed);
            return connection.status(PATIENCE_MS);
          },
          200,
        );
        for (const status of answers) expect([413, 415, 429]).toContain(status);
        return tally(answers);
      },
    },
    {
      name: 'sends a thousand requests over one connection without reading',
      run: async (attacker) => {
        const connections = await Promise.all(Array.from({ length: AT_ONCE }, () => RawConnection.open(attacker)));
        for (const connection of connections) {
          connection.socket.pause();
          connection.send(requestHead(attacker, 'GET /api/providers/catalog').repeat(1_000));
        }
        await waitUntil(
          'the connections to be closed',
          () => connections.every(({ isClosed }) => isClosed) || undefined,
        );
        await attacker.waitUntilOver();
        return `${AT_ONCE} closed`;
      },
    },
    crumbles('sends bodies in chunks of a byte', 'POST /api/agents'),
    crumbles('sends bodies in chunks of a byte that nobody reads', 'GET /api/agents'),
    {
      name: 'asks for the catalog eight at a time over 50 connections',
      run: async (attacker) => pipeline(attacker, { line: 'GET /api/providers/catalog', connections: 50 }),
    },
    posts('sends lists of 49,000 faulty values', [422], () => `{"name":"n","tools":[${'0,'.repeat(49_000)}0]}`),
    {
      name: 'asks as fast as it can',
      run: async (attacker) => {
        const statuses = await attacker.repeat(40, async () => (await attacker.client.get('/api/agents')).status);
        expect(statuses).toContain(200);
        return tally(statuses);
      },
    },
    {
      name: 'repeats a token that is wrong',
      run: async (attacker) => {
        const client = attacker.client.as(`${attacker.user.accessToken.slice(0, -4)}AAAA`);
        const statuses = await attacker.repeat(20, async () => (await client.get('/api/agents')).status, 400);
        expect(statuses).toContain(401);
        return tally(statuses);
      },
    },
  ],
};

/** Sends a chunk over each open connection, again and again until the attack is over. */
async function feedSlowly(attacker: Attacker, slow: readonly RawConnection[], chunk: string): Promise<string> {
  const part = attacker.begun();
  const open = () => slow.filter(({ isClosed }) => !isClosed);
  let sent = 0;
  while (!part.isOver) {
    for (const connection of open()) connection.send(chunk);
    sent += open().length;
    await sleep(100);
  }
  expect(sent).toBeGreaterThanOrEqual(slow.length);
  return `${sent} chunks sent, ${open().length} of ${slow.length} still open`;
}

/** Sends bodies in chunks of one byte over 50 connections, a new one whenever one is broken off. */
function crumbles(name: string, line: string): Attack {
  return {
    name,
    run: async (attacker) => {
      const head = requestHead(attacker, line, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' });
      const chunk = Buffer.from(inChunksOfOne(' '.repeat(5_000)));
      const chunks = await attacker.repeat(50, async () => {
        const connection = await RawConnection.open(attacker);
        connection.send(head);
        let sent = 0;
        for (; sent < 1_000_000 && !connection.socket.destroyed; sent += 5_000) await connection.deliver(chunk);
        connection.socket.destroy();
        return sent;
      });
      // More than a few chunks are on their way when the first are counted.
      for (const sent of chunks) expect(sent).toBeLessThan(1_000_000);
      const total = chunks.reduce((sum, sent) => sum + sent, 0);
      return `${chunks.length} broken off after ${total.toLocaleString('en')} chunks`;
    },
  };
}

/** Sends a request of bytes that no client would send, many times at once. */
function sends(name: string, expected: readonly number[], headsOf: (attacker: Attacker) => readonly string[]): Attack {
  return {
    name,
    run: async (attacker) => {
      const heads = headsOf(attacker);
      const statuses = await attacker.repeat(
        AT_ONCE,
        async (index) => {
          const connection = await RawConnection.open(attacker);
          connection.send(heads[index % heads.length] ?? '');
          return connection.status(8_000);
        },
        200,
      );
      // Whoever is still writing when the connection is closed may not get to see the answer.
      for (const status of statuses) expect([...expected, undefined]).toContain(status);
      expect(statuses.some((status) => status !== undefined)).toBe(true);
      return tally(statuses);
    },
  };
}

/** Posts bodies to a route that stores records, many at once. */
function posts(name: string, expected: readonly number[], bodyOf: (index: number) => string): Attack {
  return {
    name,
    run: async (attacker) => {
      const statuses = await attacker.repeat(
        AT_ONCE,
        async (index) => {
          const answer = await attacker.client.post('/api/agents', bodyOf(index)).catch(() => undefined);
          return answer?.status;
        },
        500,
      );
      for (const status of statuses) expect([...expected, 429, undefined]).toContain(status);
      expect(statuses.some((status) => status !== undefined)).toBe(true);
      return tally(statuses);
    },
  };
}
