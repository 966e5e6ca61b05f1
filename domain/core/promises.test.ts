import { setImmediate as later } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { settleAll } from './promises.ts';

test('the results come in the order of the promises', async () => {
  await expect(settleAll([later('slow'), Promise.resolve('fast')])).resolves.toEqual(['slow', 'fast']);
});

test('an error is thrown once everything has ended', async () => {
  let hasEnded = false;
  const work = async () => {
    await later();
    hasEnded = true;
  };
  await expect(settleAll([Promise.reject(new Error('first')), work()])).rejects.toThrow('first');
  expect(hasEnded).toBe(true);
});
