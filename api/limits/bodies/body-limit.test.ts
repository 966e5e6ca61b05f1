import { describe, expect, test } from '@jest/globals';
import { BodyLimit } from './body-limit.ts';

const MEGABYTE = 1024 * 1024;

describe('the room for bodies on their way', () => {
  test('is bounded for one sender, and for all together', () => {
    const room = new BodyLimit({ maxBytes: 3 * MEGABYTE, maxBytesOfOne: 2 * MEGABYTE });
    room.acquire('a', MEGABYTE);
    room.acquire('a', MEGABYTE);
    expect(() => room.acquire('a', MEGABYTE)).toThrow('You have too many');
    room.acquire('b', MEGABYTE);
    expect(() => room.acquire('c', MEGABYTE)).toThrow('The server has too many');
  });

  test('is there again when a body has arrived', () => {
    const room = new BodyLimit({ maxBytes: MEGABYTE, maxBytesOfOne: MEGABYTE });
    const release = room.acquire('a', MEGABYTE);
    expect(() => room.acquire('a', MEGABYTE)).toThrow();
    release();
    expect(() => room.acquire('a', MEGABYTE)).not.toThrow();
  });

  test('is never short for small bodies', () => {
    const room = new BodyLimit({ maxBytes: MEGABYTE, maxBytesOfOne: MEGABYTE });
    room.acquire('a', MEGABYTE);
    for (let count = 0; count < 1_000; count += 1) room.acquire('a', 16 * 1024);
    expect(() => room.acquire('a', 17 * 1024)).toThrow();
  });
});
