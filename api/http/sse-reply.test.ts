import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import type { Response } from 'express';
import type { UnsentAnswers } from '../limits/unsent-answers.ts';
import { SseReply } from './sse-reply.ts';

// Readers that split text by all line ends of Unicode exist: Python's `splitlines` does.
test('an event stays on its lines, whatever its texts contain', () => {
  const stream = new PassThrough();
  const reply = new SseReply(stream as unknown as Response, { track: () => undefined } as unknown as UnsentAnswers);
  const data = { text: 'a\u2028b\u2029c\u0085d\r\ne' };
  reply.send('chunk', data, '7');
  reply.sendData(JSON.stringify(data));
  reply.sendWritten(`event: message\ndata: ${JSON.stringify(data)}\n\n`);
  const sent = String(stream.read());
  expect(sent.split(/[\r\n\u2028\u2029\u0085]/)).toHaveLength(sent.split('\n').length);
  const lines = sent.split('\n').filter((line) => line.startsWith('data: '));
  expect(lines.map((line) => JSON.parse(line.slice('data: '.length)) as unknown)).toEqual([data, data, data]);
});
