import { expect, test } from '@jest/globals';
import { meetsClockChange } from './cron.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');

test.each([
  ['30 2 * * *', 'Europe/Berlin', true],
  ['*/30 * * * *', 'America/New_York', true],
  ['@daily', 'Australia/Lord_Howe', true],
  ['0 4 * * *', 'Europe/Berlin', false],
  ['30 2 * * *', 'UTC', false],
  ['30 2 * * *', 'Asia/Tokyo', false],
  ['no line', 'Europe/Berlin', false],
  ['30 2 * * *', 'Europe/Nowhere', false],
])('%s in %s meets a change of the clock: %s', (line, zone, meets) => {
  expect(meetsClockChange(line, zone, NOW)).toBe(meets);
});
