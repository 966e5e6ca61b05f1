import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { closingHandshake } from './closing-handshake.ts';

const headers = {
  origin: 'https://console.example',
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

test.each(['x'.repeat(122), 'x'.repeat(121)])('the reason of a close ends with a whole character', (words) => {
  const request = { method: 'GET', url: '/ws/events', headers } as unknown as IncomingMessage;
  const answer =
    closingHandshake(request, { status: 422, detail: `${words}äöü€`, retryAfterSeconds: undefined }) ?? Buffer.alloc(0);
  const frame = answer.subarray(answer.indexOf('\r\n\r\n') + 4);
  const reason = frame.subarray(4);
  expect(frame[1]).toBe(2 + reason.byteLength);
  expect(reason.byteLength).toBeLessThanOrEqual(123);
  expect(new TextDecoder('utf-8', { fatal: true }).decode(reason).startsWith(words)).toBe(true);
});
