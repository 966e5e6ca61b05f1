import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from '@jest/globals';
import { waitUntil } from '../../support/wait-until.ts';
import type { Attack, AttackFamily } from '../attack.ts';
import type { Ending } from '../attacker.ts';
import {
  callOnce,
  delta,
  end,
  event,
  type HostileCall,
  openEvents,
  pour,
  pourInChunksOfOne,
  say,
} from '../hostile-replies.ts';
import type { HostileScript } from '../hostile-server.ts';

const KB = 1024;
const MB = 1024 * KB;
const RETRY_AFTER = ['-1', '1e309', '9'.repeat(400), 'Thu, 01 Jan 9999 00:00:00 GMT', '0', 'soon'];
let bomb: Buffer | undefined;
const EMPTY_LISTS = '[],'.repeat(10_000);

/** Streams that a provider of the attacker's own sends. */
export const providerStreams: AttackFamily = {
  name: 'provider streams',
  attacks: [
    fails('sends an event of 60 MB of nested lists', nestedEvent(60 * MB)),
    fails('sends an event of 20 MB of nested lists', nestedEvent(20 * MB)),
    ends('sends events of 3 MB of nested lists without an end', async (_request, response) => {
      openEvents(response);
      const data = event(`{"choices":[{"delta":{"x":[${EMPTY_LISTS.repeat(100)}[]]}}]}`);
      await pour(response, data, 60 * MB);
      response.end(end());
    }),
    fails('sends a document of 60 MB of nested lists', async (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"choices":[{"message":{"x":[');
      await pour(response, EMPTY_LISTS, 60 * MB);
      response.end('[]]}}]}');
    }),
    fails('sends a line of 60 MB that never becomes an event', async (_request, response) => {
      openEvents(response);
      await pour(response, 'x'.repeat(64 * KB), 60 * MB);
      response.end();
    }),
    ends('sends comments without an end', async (_request, response) => {
      openEvents(response);
      await pour(response, ': keep-alive\n\n'.repeat(1_000), 200 * MB);
      response.end();
    }),
    ends('sends a million tiny events', async (_request, response) => {
      openEvents(response);
      await pour(response, delta({ content: 'a' }).repeat(200), 200 * MB);
      response.end(end());
    }),
    ends('sends an answer of 30 million characters', async (_request, response) => {
      openEvents(response);
      await pour(response, delta({ content: 'y'.repeat(16 * KB) }), 30 * MB);
      response.end(end());
    }),
    ends('sends one byte a second', async (_request, response) => {
      openEvents(response);
      for (const byte of delta({ content: 'slow' })) {
        if (response.destroyed) return;
        response.write(byte);
        await sleep(1_000);
      }
      response.end(end());
    }),
    ends('goes on for ever after the end of its answer', async (_request, response) => {
      openEvents(response);
      response.write(delta({ content: 'done' }) + end());
      await pour(response, delta({ content: 'more' }).repeat(200), 200 * MB);
    }),
    fails('sends headers of a megabyte', (_request, response) => {
      openEvents(response, Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`x-${at}`, 'h'.repeat(16 * KB)])));
      response.end(end());
    }),
    fails('sends lists nested 200,000 deep', (_request, response) => {
      openEvents(response);
      response.end(event(`{"choices":[{"delta":{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}}]}`) + end());
    }),
    fails('packs 200 MB into a small answer', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end((bomb ??= gzipSync(Buffer.alloc(200 * MB, 'z'))));
    }),
    fails('packs an answer ten times over', (_request, response) => {
      let packed: Buffer = Buffer.from(delta({ content: 'x' }) + end());
      for (let layer = 0; layer < 10; layer += 1) packed = gzipSync(packed);
      openEvents(response, { 'content-encoding': Array.from({ length: 10 }, () => 'gzip').join(', ') });
      response.end(packed);
    }),
    pours('streams 950,000 events of a character in 8 chats', delta({ content: 'a' }), 950_000),
    pours(
      'streams thoughts of a character in 8 chats',
      event('{"choices":[{"delta":{"reasoning_content":"t"}}]}'),
      240_000,
    ),
    pours(
      'streams arguments of a character in 8 chats',
      delta({ tool_calls: [{ index: 0, id: 'call_0', function: { name: 'time_now', arguments: ' ' } }] }),
      240_000,
    ),
    ends(
      'streams comments in chunks of a byte in 8 chats',
      async (_request, response) =>
        pourInChunksOfOne(response, { type: 'text/event-stream', text: ': on\n\n', characters: 16 * MB }),
      8,
    ),
    ends('hangs in 32 model calls at once', () => undefined, 32),
    ends('sends 20 events of 20 MB at once', nestedEvent(20 * MB), 20),
  ],
};

/** Calls, fences and errors that a provider of the attacker's own sends. */
export const providerReplies: AttackFamily = {
  name: 'provider replies',
  attacks: [
    ends('calls a thousand tools in one reply', callOnce(calls(1_000, {}))),
    ends('sends arguments of 65,536 escaped quotes', callOnce(calls(32, `"${'\\"'.repeat(65_536)}`))),
    ends(
      'sends arguments that are cut in the middle of 260,000 escapes',
      callOnce(calls(32, `{"a":"${'\\u0022'.repeat(43_000)}`)),
    ),
    ends('sends 256 calls with arguments of 200,000 characters', callOnce(calls(256, { parse: 'p'.repeat(200_000) }))),
    ends(
      'sends arguments nested 100,000 deep',
      callOnce(calls(8, `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)),
    ),
    ends('sends a call in a hundred thousand pieces', (_request, response) => {
      openEvents(response);
      const callDelta = delta({
        tool_calls: [{ index: 0, id: 'call_0', function: { name: 'time_now', arguments: ' ' } }],
      });
      response.end(callDelta.repeat(100_000) + end('tool_calls'));
    }),
    ends('sends calls at two billion places', (_request, response) => {
      openEvents(response);
      const deltas = Array.from({ length: 20_000 }, (_, at) =>
        delta({
          tool_calls: [
            { index: 2_000_000_000 - at * 1_000, id: `c${at}`, function: { name: 'time_now', arguments: '{}' } },
          ],
        }),
      );
      response.end(deltas.join('') + end('tool_calls'));
    }),
    ends('sends fences without an end', say('```tool_call\n{"name":"time_now","arguments":{'.repeat(20_000))),
    ends('sends beginnings of fences', say('`'.repeat(900_000))),
    ends('sends 30,000 whole fences', say('```tool_call\n{"name":"time_now"}\n```\n'.repeat(20_000))),
    ends('sends a reasoning of 30 MB', async (_request, response) => {
      openEvents(response);
      await pour(response, delta({ reasoning_content: 'r'.repeat(16 * KB) }), 30 * MB);
      response.end(delta({ content: 'done' }) + end());
    }),
    fails('sends an error of 10 MB that looks like keys', errorEvent('sk-'.repeat(3_500_000))),
    fails('sends an error of 10 MB that looks like an address', errorEvent('https://a:b@'.repeat(900_000))),
    fails('sends an error page of 100 MB', async (_request, response) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.write('{"error":{"message":"');
      await pour(response, 'Bearer '.repeat(10_000), 100 * MB);
      response.end('"}}');
    }),
    fails('redirects to itself', (request, response) => {
      response.writeHead(307, { location: `.${request.path}` }).end();
    }),
    ends(
      'is busy and asks for patience of odd lengths',
      (_request, response) => {
        const asked = RETRY_AFTER[Math.floor(Math.random() * RETRY_AFTER.length)] ?? '';
        response.writeHead(429, { 'retry-after': asked }).end('{"error":{"message":"busy"}}');
      },
      8,
    ),
    ends('reports impossible usage', (_request, response) => {
      openEvents(response);
      response.write(delta({ content: 'cheap' }));
      response.end(event('{"choices":[],"usage":{"prompt_tokens":1e308,"completion_tokens":-5}}') + end());
    }),
  ],
};

function nestedEvent(bytes: number): HostileScript {
  return async (_request, response) => {
    openEvents(response);
    response.write('data: {"choices":[{"delta":{"x":[');
    await pour(response, EMPTY_LISTS, bytes);
    response.end(`[]]}}]}\n\n${end()}`);
  };
}

function errorEvent(message: string): HostileScript {
  return (_request, response) => {
    openEvents(response);
    response.end(event(JSON.stringify({ error: { message } })));
  };
}

function calls(count: number, args: HostileCall['arguments']): HostileCall[] {
  return Array.from({ length: count }, () => ({ name: 'time_now', arguments: args }));
}

/** No answer can come of it. */
function fails(name: string, script: HostileScript): Attack {
  return attack(name, script, ({ kind }) => expect(['failed', 'stopped']).toContain(kind));
}

/** Whether an answer comes of it is the attacker's own affair. */
function ends(name: string, script: HostileScript, width = 1): Attack {
  return attack(name, script, ({ kind }) => expect(['answered', 'failed', 'stopped']).toContain(kind), width);
}

/** Sends an event again and again, in eight chats, of which a good part is read. */
function pours(name: string, data: string, times: number): Attack {
  const chats = 8;
  return {
    name,
    run: async (attacker) => {
      let bytes = 0;
      await attacker.model(async (_request, response) => {
        const { socket } = response;
        const before = socket?.bytesWritten ?? 0;
        openEvents(response);
        await pour(response, data.repeat(500), times * data.length);
        response.end(end());
        bytes += (socket?.bytesWritten ?? 0) - before;
      });
      const endings = await Promise.all((await attacker.chats(chats)).map(async (chatId) => attacker.ask(chatId)));
      for (const { kind } of endings) expect(['answered', 'failed', 'stopped']).toContain(kind);
      await waitUntil('the streams to be given up', () => bytes > 0 || undefined);
      expect(bytes).toBeGreaterThan(MB);
      return `${Math.round(bytes / MB)} MB sent, ${describe(endings)}`;
    },
  };
}

function attack(name: string, script: HostileScript, check: (ending: Ending) => void, width = 1): Attack {
  return {
    name,
    run: async (attacker) => {
      let asked = 0;
      await attacker.model((request, response) => {
        asked += 1;
        return script(request, response);
      });
      const chats = await attacker.chats(width, ['time_now']);
      const endings = await Promise.all(chats.map(async (chatId) => attacker.ask(chatId)));
      expect(asked).toBeGreaterThan(0);
      endings.forEach(check);
      return describe(endings);
    },
  };
}

function describe([first, ...others]: readonly Ending[]): string {
  if (first === undefined) return '';
  const { kind, text } = first;
  const what = kind === 'stopped' ? 'went on until it was interrupted' : `${kind}: ${text.slice(0, 200)}`;
  return others.length === 0 ? what : `${others.length + 1} times ${what}`;
}
