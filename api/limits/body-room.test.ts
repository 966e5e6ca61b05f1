import { describe, expect, test } from '@jest/globals';
import { BodyRoom } from './body-room.ts';

const MEGABYTE = 1024 * 1024;

describe('the room for bodies on their way', () => {
  test('is bounded for one sender, and for all together', () => {
    const room = new BodyRoom({ maxBytes: 3 * MEGABYTE, maxBytesOfOne: 2 * MEGABYTE });
    room.take('a', MEGABYTE);
    room.take('a', MEGABYTE);
    expect(() => room.take('a', MEGABYTE)).toThrow('You have too many');
    room.take('b', MEGABYTE);
    expect(() => room.take('c', MEGABYTE)).toThrow('The server has too many');
  });

  test('is there again when a body has arrived', () => {
    const room = new BodyRoom({ maxBytes: MEGABYTE, maxBytesOfOne: MEGABYTE });
    const leave = room.take('a', MEGABYTE);
    expect(() => room.take('a', MEGABYTE)).toThrow();
    leave();
    expect(() => room.take('a', MEGABYTE)).not.toThrow();
  });

  test('is never short for small bodies', () => {
    const room = new BodyRoom({ maxBytes: MEGABYTE, maxBytesOfOne: MEGABYTE });
    room.take('a', MEGABYTE);
    for (let count = 0; count < 1_000; count += 1) room.take('a', 16 * 1024);
    expect(() => room.take('a', 17 * 1024)).toThrow();
  });
});
