import { setImmediate as settle } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { Places } from './places.ts';

/** Work that ends when it is told to. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { run: async () => promise, end: resolve };
}

describe('Places', () => {
  test('lets as many at work as one holder may have, and the next when one has ended, in order', async () => {
    const places = new Places({ perHolder: 2 });
    const begun: number[] = [];
    const works = [work(), work(), work(), work()];
    const held = works.map(({ run }, index) =>
      places.hold('a', async () => {
        begun.push(index);
        return run();
      }),
    );
    await settle();
    expect(begun).toEqual([0, 1]);
    works[1]?.end();
    await settle();
    expect(begun).toEqual([0, 1, 2]);
    for (const { end } of works) end();
    await Promise.all(held);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  test('lets nobody wait for another holder', async () => {
    const places = new Places({ perHolder: 1 });
    const slow = work();
    const held = places.hold('a', slow.run);
    await expect(places.hold('b', async () => 'done')).resolves.toBe('done');
    slow.end();
    await held;
  });

  test('gives a place back when the work fails', async () => {
    const places = new Places({ perHolder: 1 });
    await expect(places.hold('a', async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(places.hold('a', async () => 'done')).resolves.toBe('done');
  });

  test('refuses what would have to wait when it is told to, and goes on with the rest', async () => {
    const places = new Places({
      perHolder: 1,
      onWait: (waiting) => {
        if (waiting === 1) throw new Error('too many');
      },
    });
    const slow = work();
    const held = [places.hold('a', slow.run), places.hold('a', async () => 'waited')];
    await expect(places.hold('a', async () => 'never')).rejects.toThrow('too many');
    slow.end();
    await expect(Promise.all(held)).resolves.toEqual([undefined, 'waited']);
  });
});
