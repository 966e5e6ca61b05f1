import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { chunk, type CompletionHead, type Delta, doneData } from '../support/scripted-model/wire.ts';
import type { HostileRequest, HostileScript } from './hostile-server.ts';

/** A call that a hostile model makes; arguments that are a text are sent as they are. */
export interface HostileCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>> | string;
}

const HEAD: CompletionHead = { id: 'chatcmpl-hostile', created: 1_700_000_000, model: 'hostile-1' };

/** The opening of a stream of events. */
export function openEvents(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
}

/** An event as it stands on the wire. */
export function event(data: string): string {
  return `data: ${data}\n\n`;
}

/** An event of a chat completion. */
export function delta(content: Delta, finishReason: string | null = null): string {
  return event(chunk(HEAD, content, finishReason));
}

/** The end of a reply. */
export function end(finishReason: 'stop' | 'tool_calls' = 'stop'): string {
  return delta({}, finishReason) + event(doneData);
}

/** Answers with a text, whole. */
export function say(text: string): HostileScript {
  return (_request, response) => {
    openEvents(response);
    response.end(delta({ role: 'assistant', content: text }) + end());
  };
}

/** Answers with calls until their results are there, and then with a text. */
export function callOnce(calls: readonly HostileCall[]): HostileScript {
  return (request, response) => {
    openEvents(response);
    response.end(resultsOf(request).length > 0 ? delta({ content: 'done' }) + end() : deltasOf(calls));
  };
}

/** Answers with calls every time. */
export function callForever(callsOf: (step: number) => readonly HostileCall[]): HostileScript {
  let step = 0;
  return (_request, response) => {
    openEvents(response);
    response.end(deltasOf(callsOf((step += 1))));
  };
}

/** The results of calls that a request to a model ends with. */
export function resultsOf({ body }: HostileRequest): string[] {
  const { messages = [] } = (body ?? {}) as { messages?: readonly { role: string; content: string }[] };
  const from = messages.findLastIndex(({ role }) => role !== 'tool') + 1;
  return messages.slice(from).map(({ content }) => content);
}

/** Writes a part again and again, as fast as it is read, until so many bytes are sent or nobody reads any more. */
export async function pour(response: ServerResponse, part: string | Buffer, bytes: number): Promise<void> {
  const data = Buffer.from(part);
  const closed = once(response, 'close');
  for (let sent = 0; sent < bytes && !response.destroyed; sent += data.byteLength) {
    if (response.write(data)) continue;
    await Promise.race([once(response, 'drain'), closed]);
  }
}

/** Text as it stands on the wire when each of its characters, which are ASCII, is a chunk of its own. */
export function inChunksOfOne(text: string): string {
  return text.replaceAll(/[^]/g, '1\r\n$&\r\n');
}

/** Answers with a text over and over, in chunks of one character, until so many characters were sent. */
export async function pourInChunksOfOne(
  { socket }: ServerResponse,
  { type, text, characters }: { readonly type: string; readonly text: string; readonly characters: number },
): Promise<void> {
  if (socket === null) return;
  const part = Buffer.from(inChunksOfOne(text.repeat(Math.ceil(10_000 / text.length))));
  const closed = once(socket, 'close');
  socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  for (let sent = 0; sent < characters && !socket.destroyed; sent += part.byteLength / 6) {
    if (!socket.write(part)) await Promise.race([once(socket, 'drain'), closed]);
  }
  socket.end('0\r\n\r\n');
}

function deltasOf(calls: readonly HostileCall[]): string {
  const deltas = calls.map(({ name, arguments: args }, index) =>
    delta({
      tool_calls: [
        {
          index,
          id: `call_${index}`,
          type: 'function',
          function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
        },
      ],
    }),
  );
  return deltas.join('') + end('tool_calls');
}
