import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAgent, createChat, registerUser } from '../support/factories.ts';
import { inLength } from '../support/in-length.ts';
import { SocketClient } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

let instance: TestInstance;
/** A chat of an organization of its own, which has the demo model only. */
async function openChat(tools: readonly string[]): Promise<SocketClient> {
  const { client, accessToken } = await registerUser(instance.api.url);
  const chatId = await createChat(client, await createAgent(client, { tools }));
  return SocketClient.connect(instance.api.url, chatId, accessToken);
}

const HOSTILE: readonly (readonly [message: string, result: RegExp])[] = [
  ['calculate ones(1e8)', /needs too much memory|took longer/],
  [
    'use json_query {"data": {}, "expression": "$pad(\\"x\\", 500000000)"}',
    /needs too much memory|too large|took longer/,
  ],
  [`use time_now {"parse": "${'1d    '.repeat(12).trim()}"}`, /read only in part/],
  ['calculate resize([1],[100000000])', /needs too much memory|took longer/],
];

const callCount = inLength(1, Infinity);

beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());

test.each(HOSTILE.slice(0, callCount))(
  'ends in one answer, without harm to the worker or to others: %s',
  async (message, result) => {
    const [hostile, neighbour] = await Promise.all([
      openChat(['math_evaluate', 'json_query', 'time_now']),
      openChat([]),
    ]);
    hostile.send({ type: 'message', content: message, client_message_id: 'a' });
    const ending = hostile.waitForEnd();
    for (let count = 1; count <= 2; count += 1) {
      neighbour.send({ type: 'message', content: 'hello', client_message_id: String(count) });
      expect((await neighbour.waitForEnd(count)).type).toBe('stream_end');
    }
    const end = await ending;
    expect(end).toMatchObject({ type: 'stream_end', metadata: { status: 'completed', tool_call_count: 1 } });
    const { tool_calls_detail: calls } = end['metadata'] as { tool_calls_detail: readonly { result: string }[] };
    expect(calls[0]?.result).toMatch(result);
    const [worker] = instance.workers;
    expect(await Promise.race([worker?.exited, Promise.resolve('alive')])).toBe('alive');
    hostile.close();
    neighbour.close();
  },
);
