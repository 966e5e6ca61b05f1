import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import { Problem } from '../../core/http/problem.ts';
import type { AnyServerFrame } from './merge-messages.ts';
import { messageAt } from '../../../test/support/console/sample-message.ts';
import { SlowSocket } from './slow-socket.ts';

interface Stream {
  readonly after: string | undefined;
  say(event: string, data: unknown, id?: string): void;
  end(): void;
}

let streams: Stream[];
let isRunning: boolean;
let failure: Problem | undefined;
let heard: AnyServerFrame[];
let codes: number[];
let socket: SlowSocket;

beforeEach(() => {
  [streams, isRunning, failure, heard, codes] = [[], true, undefined, [], []];
});

afterEach(() => {
  socket.close();
  jest.useRealTimers();
});

function open(): void {
  socket = new SlowSocket({
    open: async (after) => {
      if (failure !== undefined) throw failure;
      return isRunning ? streamOf(after) : undefined;
    },
  });
  socket.addEventListener('message', (event) =>
    heard.push(JSON.parse((event as MessageEvent<string>).data) as AnyServerFrame),
  );
  socket.addEventListener('close', (event) => codes.push((event as CloseEvent).code));
}

function streamOf(after: string | undefined): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      const say = (event: string, data: unknown, id?: string) => {
        const head = id === undefined ? '' : `id: ${id}\n`;
        controller.enqueue(new TextEncoder().encode(`event: ${event}\n${head}data: ${JSON.stringify(data)}\n\n`));
      };
      streams.push({ after, say, end: () => controller.close() });
    },
  });
}

const begin = { chat_id: 'chat', turn_id: 'turn 0', message_id: 'message 0' };

test('a stream is heard as a socket is, and goes on after the last event when it breaks off', async () => {
  open();
  await waitFor(() => expect(streams).toHaveLength(1));
  streams[0]?.say('stream_start', begin, 'a');
  streams[0]?.say('chunk', { content: 'Sales ' }, 'b');
  streams[0]?.say('tool_call', { step_id: 's', name: 'time_now', label: 'Time', status: 'running' });
  await waitFor(() => expect(heard).toHaveLength(3));
  streams[0]?.end();
  await waitFor(() => expect(streams).toHaveLength(2));
  expect(streams[1]?.after).toBe('b');
  streams[1]?.say('stream_start', begin);
  streams[1]?.say('chunk', { content: 'rose' }, 'c');
  streams[1]?.say('tool_call', { step_id: 's', name: 'time_now', label: 'Time', status: 'success' });
  streams[1]?.say('stream_end', { message: messageAt(1, { content: 'Sales rose' }) }, 'd');
  isRunning = false;
  streams[1]?.end();
  await waitFor(() => expect(heard.at(-1)).toMatchObject({ type: 'joined', turn_id: null }));
  expect(heard).toMatchObject([
    { type: 'joined', turn_id: 'turn 0' },
    { type: 'chunk', offset: 0, content: 'Sales ' },
    { type: 'sub_agent_step_start', task_id: 'turn 0', step_id: 's', step_label: 'Time' },
    { type: 'joined', turn_id: 'turn 0' },
    { type: 'chunk', offset: 6, content: 'rose' },
    { type: 'sub_agent_step_done', step_id: 's', status: 'success' },
    { type: 'stream_end', turn_id: 'turn 0', message_id: 'message 1', content: 'Sales rose' },
    { type: 'joined', turn_id: null },
  ]);
});

test('it is looked at every ten seconds, and at once when asked, whether a turn runs', async () => {
  jest.useFakeTimers();
  isRunning = false;
  open();
  await jest.advanceTimersByTimeAsync(9_000);
  expect(heard).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(heard).toHaveLength(2);
  isRunning = true;
  socket.send('{"type":"ping"}');
  await jest.advanceTimersByTimeAsync(0);
  expect([streams.length, heard.at(-1)]).toEqual([1, { type: 'pong' }]);
});

test.each([
  [404, 4404],
  [403, 4404],
  [401, 4401],
  [0, 1006],
])('an answer of %i closes it with the code %i', async (status, code) => {
  failure = new Problem(status, 'no');
  open();
  await waitFor(() => expect(codes).toEqual([code]));
});
