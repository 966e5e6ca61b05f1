import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { browserStorage, clipboard, newId, oneAtATime, tabStorage } from './browser.ts';

afterEach(() => {
  jest.restoreAllMocks();
  localStorage.clear();
});

/** Takes away what pages over plain HTTP do not have. */
function overPlainHttp() {
  for (const name of ['locks', 'clipboard'] as const)
    Object.defineProperty(navigator, name, { value: undefined, configurable: true });
}

describe('a page over plain HTTP', () => {
  test('makes UUIDs of version 4', () => {
    const ids = Array.from({ length: 100 }, newId);
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(new Set(ids).size).toBe(100);
  });

  test('does work of one name in turn, also after work that failed', async () => {
    overPlainHttp();
    const log: string[] = [];
    const gate = Promise.withResolvers<void>();
    const slow = oneAtATime('a', async () => {
      log.push('first begins');
      await gate.promise;
      log.push('first ends');
      throw new Error('failed');
    });
    const other = oneAtATime('b', async () => void log.push('other'));
    const second = oneAtATime('a', async () => void log.push('second'));
    await other;
    gate.resolve();
    await expect(slow).rejects.toThrow('failed');
    await second;
    expect(log).toEqual(['first begins', 'other', 'first ends', 'second']);
  });

  test('has no clipboard', () => {
    overPlainHttp();
    expect(clipboard()).toBe(undefined);
  });
});

describe('storage', () => {
  test('keeps what is written until it is removed', () => {
    browserStorage.write('a', '1');
    expect([browserStorage.read('a'), browserStorage.keys(), tabStorage.read('a')]).toEqual(['1', ['a'], undefined]);
    browserStorage.remove('a');
    expect(browserStorage.read('a')).toBe(undefined);
  });

  test('keeps nothing, and throws nothing, where a browser allows none', () => {
    jest.spyOn(globalThis, 'localStorage', 'get').mockImplementation(() => {
      throw new DOMException('denied', 'SecurityError');
    });
    browserStorage.write('a', '1');
    browserStorage.remove('a');
    expect([browserStorage.read('a'), browserStorage.keys()]).toEqual([undefined, []]);
  });
});
