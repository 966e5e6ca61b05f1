import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from '@jest/globals';
import type { Attack, AttackFamily } from '../attack.ts';
import { expectBounded } from '../expect-ending.ts';
import { tally } from '../tally.ts';
import { pour } from '../hostile-replies.ts';
import type { HostileScript } from '../hostile-server.ts';

const MB = 1024 * 1024;
let bomb: Buffer | undefined;

/** Servers that the attacker's agents are sent to, 32 calls at once. */
export const webTools: AttackFamily = {
  name: 'web tools',
  attacks: [
    fetches('fetches from a server that never answers', () => undefined),
    fetches('fetches from a server that drips', async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      while (!response.destroyed) {
        response.write('.');
        await sleep(200);
      }
    }),
    fetches('fetches pages of 2 MiB', async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      await pour(response, '<p>page</p>'.repeat(5_000), 2 * MB);
      response.end();
    }),
    fetches('fetches pages without an end', async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      await pour(response, '<p>page</p>'.repeat(5_000), 100 * MB);
      response.end();
    }),
    fetches('fetches a page of nested JSON', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('['.repeat(MB) + ']'.repeat(MB));
    }),
    fetches('is redirected in circles', (_request, response) => {
      response.writeHead(302, { location: './again' }).end();
    }),
    fetches('fetches 200 MB in a small packet', (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end((bomb ??= gzipSync(Buffer.alloc(200 * MB))));
    }),
    fetches('is told to come back at once, for ever', (_request, response) => {
      response.writeHead(503, { 'retry-after': '0' }).end();
    }),
    fetches('fetches from a server that breaks off', (_request, response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('half');
      setTimeout(() => response.destroy(), 50);
    }),
    fetches('fetches answers with 60 KB of headers', (_request, response) => {
      response.writeHead(
        200,
        Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`x-${at}`, 'h'.repeat(1_000)])),
      );
      response.end('short');
    }),
    {
      name: 'fetches pages of 2 MiB, 31 times in each of 20 chats',
      run: async (attacker) => {
        const page = '<p>page</p>'.repeat(200_000);
        let asked = 0;
        const url = attacker.host((_request, response) => {
          asked += 1;
          response.end(page);
        });
        const calls = Array.from({ length: 31 }, (_, at) => ({
          name: 'http_request',
          arguments: { url: `${url}/${at}` },
        }));
        const { endings } = await attacker.runCallsInChats(20, calls);
        for (const { kind } of endings) expect(['answered', 'stopped']).toContain(kind);
        expect(asked).toBeGreaterThanOrEqual(20);
        return `${asked} fetched, ${tally(endings.map(({ kind }) => kind))}`;
      },
    },
  ],
};

function fetches(name: string, script: HostileScript): Attack {
  return {
    name,
    run: async (attacker) => {
      let asked = 0;
      const url = attacker.host((request, response) => {
        asked += 1;
        return script(request, response);
      });
      const calls = Array.from({ length: 32 }, (_, at) => ({
        name: 'http_request',
        arguments: { url: `${url}/${at}` },
      }));
      const outcome = expectBounded(await attacker.runCalls(calls));
      if (asked === 0) throw new Error(`nothing was fetched: ${outcome}`);
      return outcome;
    },
  };
}
