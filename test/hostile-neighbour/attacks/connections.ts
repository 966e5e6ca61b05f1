import { expect } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SocketClient } from '../../support/socket-client.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Attack, AttackFamily } from '../attack.ts';
import type { Attacker } from '../attacker.ts';
import { delta, end, openEvents, pour } from '../hostile-replies.ts';
import { RawConnection, requestHead } from '../raw-connection.ts';
import { tally } from '../tally.ts';

const MOST_FRAMES = 20_000;

/** Sockets and streams: too many, too fast, too slow, or broken. */
export const connections: AttackFamily = {
  name: 'connections',
  attacks: [
    {
      name: 'connects and hangs up, again and again',
      run: async (attacker) => {
        const chatId = await attacker.chat();
        const outcomes = await attacker.repeat(20, async () => {
          const socket = await attacker.socket(chatId);
          socket?.close();
          return socket === undefined ? 'refused' : 'open';
        });
        expect(outcomes).toContain('open');
        return tally(outcomes);
      },
    },
    {
      name: 'opens 60 sockets and 60 streams',
      run: async (attacker) => {
        await attacker.model(() => undefined);
        const chats = await attacker.chats(60);
        const sockets = await Promise.all(chats.map(async (chatId) => attacker.socket(chatId)));
        const streams = await Promise.all(chats.map(async (chatId) => attacker.stream(chatId, { content: 'Stay.' })));
        const statuses = streams.map(({ status }) => status);
        expect(sockets).toContain(undefined);
        expect(statuses).toContain(429);
        const open = sockets.filter((socket) => socket !== undefined).length;
        return `${open} sockets, streams ${tally(statuses)}`;
      },
    },
    {
      name: 'begins streams and hangs up, again and again',
      run: async (attacker) => {
        const chats = await attacker.chats(20);
        const statuses = await attacker.repeat(20, async (index) => {
          const stream = await attacker.stream(chats[index % 20] ?? '', { content: 'Never mind.' });
          stream.close();
          return stream.status;
        });
        expect(statuses).toContain(200);
        return tally(statuses);
      },
    },
    {
      name: 'reads large answers slowly over 20 streams and sockets',
      run: async (attacker) => {
        let asked = 0;
        await attacker.model(async (_request, response) => {
          asked += 1;
          openEvents(response);
          await pour(response, delta({ content: 'word '.repeat(1_000) }), 900_000);
          response.end(end());
        });
        const chats = await attacker.chats(20);
        for (const chatId of chats) {
          const socket = await attacker.socket(chatId);
          socket?.socket.pause();
          const slow = await RawConnection.open(attacker);
          const body = '{"content":"Tell me all."}';
          slow.socket.pause();
          const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
          slow.send(requestHead(attacker, `POST /api/chats/${chatId}/stream`, headers) + body);
        }
        await attacker.waitUntilOver();
        expect(asked).toBe(chats.length);
        return `${asked} answers under way`;
      },
    },
    floods('floods a socket with frames that are no JSON', () => 'x'),
    floods('floods a socket with messages', (index) => JSON.stringify({ type: 'message', content: `No. ${index}` })),
    floods('floods a socket with interrupts', () => '{"type":"interrupt"}'),
    floods('floods a socket with frames nested 100,000 deep', () => '['.repeat(100_000)),
    floods('sends frames of a megabyte', () => `{"type":"message","content":"${'m'.repeat(1_000_000)}"}`),
    floods('sends frames that are larger than allowed', () => 'y'.repeat(4_000_000)),
    {
      name: 'sends 40 messages of 600 KB over each of 50 sockets',
      run: async (attacker) => {
        await attacker.model(() => undefined);
        const chats = await attacker.chats(50);
        const sockets = await Promise.all(chats.map(async (chatId) => attacker.socket(chatId)));
        expect(sockets).not.toContain(undefined);
        const frame = JSON.stringify({ type: 'message', content: '€'.repeat(200_000) });
        let sent = 0;
        const deadline = performance.now() + attacker.scene.attackMs;
        await Promise.all(
          sockets.map(async (socket) => {
            for (let at = 0; at < 40 && performance.now() < deadline; at += 1) {
              if (socket === undefined || socket.closeCode !== undefined) return;
              await Promise.race([written(socket, frame), sleep(Math.max(1, deadline - performance.now()))]);
              sent += 1;
            }
          }),
        );
        const refusals = sockets.flatMap((socket) => socket?.frames.filter(({ type }) => type === 'error') ?? []);
        const stored = await attacker.scene.stack.query("select 1 from messages where org_id = $1 and role = 'user'", [
          attacker.user.orgId,
        ]);
        expect(sent).toBeGreaterThanOrEqual(50);
        expect(stored.length).toBeGreaterThan(0);
        return `${sent} sent, ${stored.length} stored, ${refusals.length} refused`;
      },
    },
    {
      name: 'joins an answer of a megabyte 50 times, again and again',
      run: async (attacker) => {
        await attacker.model(async (_request, response) => {
          openEvents(response);
          await pour(response, delta({ content: 'word '.repeat(1_000) }), 900_000);
        });
        const chatId = await attacker.chat();
        const first = await attacker.stream(chatId, { content: 'Tell me all.' });
        await waitUntil('most of the answer', () => first.text.length > 500_000 || undefined);
        const joined = await attacker.repeat(40, async () => {
          const stream = await attacker.stream(chatId);
          if (stream.status === 200)
            await waitUntil('the answer so far', () => stream.text.length > 500_000 || stream.isDone || undefined);
          stream.close();
          return stream.text.length > 500_000 ? 'joined' : stream.status;
        });
        expect(joined).toContain('joined');
        return tally(joined);
      },
    },
    {
      name: 'floods sockets with pings of the protocol',
      run: async (attacker) => {
        const chatId = await attacker.chat();
        const payload = Buffer.alloc(125, 'p');
        const open = await Promise.all(Array.from({ length: 20 }, async () => attacker.socket(chatId)));
        await attacker.repeat(
          20,
          async (index) => {
            for (let sent = 0; sent < 100; sent += 1) open[index % 20]?.socket.ping(payload);
            await new Promise((resolve) => setImmediate(resolve));
          },
          5_000,
        );
        await waitUntil('the sockets to be closed', () => open.every((socket) => socket?.closeCode) || undefined);
        const codes = open.map((socket) => socket?.closeCode);
        expect(codes).toEqual(open.map(() => 1008));
        return `sockets ${tally(codes)}`;
      },
    },
    {
      name: 'sends a message in a hundred thousand fragments',
      run: async (attacker) => {
        const socket = await attacker.socket(await attacker.chat());
        expect(socket).toBeDefined();
        const isOpen = () => socket?.closeCode === undefined;
        for (let sent = 0; sent < 100_000 && isOpen(); sent += 1) {
          socket?.socket.send('f', { fin: false });
          if (sent % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        await waitUntil('the socket to be closed', () => socket?.closeCode);
        return `closed with ${socket?.closeCode}`;
      },
    },
    {
      name: 'leaves 200 upgrades half done',
      run: async (attacker) => {
        const chatId = await attacker.chat();
        const halves = await attacker.repeat(
          20,
          async () => {
            const connection = await RawConnection.open(attacker);
            connection.send(upgradeHead(attacker, chatId).slice(0, -10));
            return connection;
          },
          200,
        );
        await attacker.waitUntilOver();
        expect(halves.length).toBeGreaterThan(0);
        return `${halves.filter(({ isClosed }) => !isClosed).length} of ${halves.length} still open`;
      },
    },
    {
      name: 'asks for 300 upgrades and resets them at once',
      run: async (attacker) => {
        const chatId = await attacker.chat();
        const done = await attacker.repeat(
          20,
          async () => {
            const connection = await RawConnection.open(attacker);
            connection.send(upgradeHead(attacker, chatId));
            connection.socket.resetAndDestroy();
            return true;
          },
          300,
        );
        expect(done.length).toBeGreaterThan(0);
        return `${done.length} reset`;
      },
    },
  ],
};

/** Sends frames over a few sockets as fast as they are taken, until the attack is over or they are closed. */
function floods(name: string, frameOf: (index: number) => string): Attack {
  return {
    name,
    run: async (attacker) => {
      const chats = await attacker.chats(5);
      const open = await Promise.all(chats.map(async (chatId) => attacker.socket(chatId)));
      expect(open).not.toContain(undefined);
      let sent = 0;
      await attacker.repeat(
        5,
        async (index) => {
          const socket = open[index % 5];
          if (socket !== undefined && socket.closeCode === undefined) await written(socket, frameOf((sent += 1)));
          // So that it is seen when a socket is closed.
          await new Promise((resolve) => setImmediate(resolve));
        },
        MOST_FRAMES,
      );
      await waitUntil('the frames to be refused', () => open.every(hasRefused) || undefined);
      const codes = open.map((socket) => socket?.closeCode ?? 'open');
      const refusals = open.flatMap((socket) => socket?.frames.filter(({ type }) => type === 'error') ?? []).length;
      return `${sent} frames, ${refusals} refused, sockets ${tally(codes)}`;
    },
  };
}

/** Sends a frame and waits until it is on its way, or the socket is gone. */
async function written({ socket }: SocketClient, frame: string): Promise<void> {
  return new Promise((resolve) => socket.send(frame, () => resolve()));
}

function hasRefused(socket: SocketClient | undefined): boolean {
  return socket?.closeCode !== undefined || socket?.frames.some(({ type }) => type === 'error') === true;
}

function upgradeHead(attacker: Attacker, chatId: string): string {
  return requestHead(attacker, `GET /ws/chat/${chatId}?token=${attacker.user.accessToken}`, {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': 13,
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
  });
}
