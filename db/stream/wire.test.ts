import { describe, expect, test } from '@jest/globals';
import type { SequencedTurnEvent } from '../../domain/events.ts';
import { packPayloads, unpackPayload } from './wire.ts';

function chunk(seq: number, text: string): SequencedTurnEvent {
  return {
    chatId: 'c',
    turnId: 't',
    turnSeq: 2,
    afterSeq: 1,
    attempt: 1,
    seq,
    event: { type: 'chunk', offset: 0, text },
  };
}

describe('packPayloads', () => {
  test('keeps every payload below the 8,000 bytes of a notification, and every event in order', () => {
    const events = Array.from({ length: 300 }, (_, seq) => chunk(seq, 'ü"\n'.repeat(seq % 50)));
    const payloads = packPayloads(events);
    expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8_000);
    expect(payloads.length).toBeGreaterThan(1);
    expect(payloads.flatMap(unpackPayload)).toEqual(events);
  });

  test('leaves the text of an event out when it is too long for a notification', () => {
    const events = [chunk(0, 'a'), chunk(1, 'é'.repeat(5_000)), chunk(2, 'b')];
    const unpacked = packPayloads(events).flatMap(unpackPayload);
    expect(unpacked.map(({ seq, event }) => [seq, event === null])).toEqual([
      [0, false],
      [1, true],
      [2, false],
    ]);
  });

  test('makes no payload of no events', () => {
    expect(packPayloads([])).toEqual([]);
  });
});
