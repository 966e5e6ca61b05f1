import { afterEach, expect, jest, test } from '@jest/globals';
import { warnOfFullDisk } from './run-call.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

test('a full disk is logged once a minute', () => {
  const now = jest.spyOn(performance, 'now');
  const logged: unknown[] = [];
  const log = { warn: (...said: unknown[]) => void logged.push(said) };
  const countAt = (ms: number) => {
    now.mockReturnValue(ms);
    for (let times = 0; times < 100; times += 1) warnOfFullDisk(log, new Error('ENOSPC'));
    return logged.length;
  };
  expect([1_000, 60_999, 61_000, 70_000].map(countAt)).toEqual([1, 1, 2, 2]);
});
