import { describe, expect, test } from '@jest/globals';
import { Turnstile } from './turnstile.ts';

describe('Turnstile', () => {
  test('lets work on one key begin only when the work before has ended, also when that failed', async () => {
    const turnstile = new Turnstile();
    const log: string[] = [];
    const work = (name: string, fails: boolean) => async () => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
    const passes = [
      turnstile.pass('key', work('a', false)),
      turnstile.pass('key', work('b', true)),
      turnstile.pass('key', work('c', false)),
    ];
    const outcomes = await Promise.allSettled(passes);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  test('lets work on another key pass by', async () => {
    const turnstile = new Turnstile();
    let release: () => void = () => undefined;
    const held = turnstile.pass('slow', async () => new Promise<void>((resolve) => (release = resolve)));
    await expect(turnstile.pass('quick', async () => 'done')).resolves.toBe('done');
    release();
    await held;
  });
});
