import { describe, expect, test } from '@jest/globals';
import { awsEvent, awsException } from '../../../test/support/wire-servers/index.ts';
import { toItsEnd } from '../../../test/support/to-its-end.ts';
import { AwsEventParser } from './aws-event-parser.ts';

const WHOLE = Buffer.concat([
  awsEvent('messageStart', { role: 'assistant' }),
  awsEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Grüße, 世界 🌍' } }),
  awsException('throttlingException', 'Too many'),
]);
const EVENTS = [
  { name: '', data: '{"messageStart":{"role":"assistant"}}' },
  { name: '', data: '{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"Grüße, 世界 🌍"}}}' },
  { name: 'error', data: '{"error":{"code":"throttlingException","message":"Too many"}}' },
];

describe('the parser of frames', () => {
  test('gives the same events wherever the bytes are cut', () => {
    for (let cut = 0; cut <= WHOLE.length; cut += 1) {
      const parser = new AwsEventParser();
      expect([...parser.push(WHOLE.subarray(0, cut)), ...parser.push(WHOLE.subarray(cut))]).toEqual(EVENTS);
    }
  });

  test('gives the same events when the bytes come one by one', () => {
    const parser = new AwsEventParser();
    expect(Array.from(WHOLE).flatMap((byte) => parser.push(Uint8Array.of(byte)))).toEqual(EVENTS);
    expect(parser.end()).toEqual([]);
  });

  test('reads a large frame in small chunks without reading it again for each', async () => {
    const frame = awsEvent('contentBlockDelta', { text: 'x'.repeat(3_000_000) });
    const events = await toItsEnd(() => {
      const parser = new AwsEventParser();
      const read = [];
      for (let at = 0; at < frame.length; at += 16) read.push(...parser.push(frame.subarray(at, at + 16)));
      return read;
    });
    expect(events).toHaveLength(1);
  });
});
