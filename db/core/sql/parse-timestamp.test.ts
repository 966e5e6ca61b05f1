import { expect, test } from '@jest/globals';
import pg from 'pg';
import { parseTimestamp } from './parse-timestamp.ts';

const byDriver: (text: string) => unknown = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

test.each([
  '2026-11-23 05:42:53+00',
  '2026-11-23 05:42:53.1+00',
  '2026-11-23 05:42:53.12+00',
  '2026-11-23 05:42:53.123+00',
  '2026-11-23 05:42:53.123456+00',
  '2028-02-29 23:59:59.999999+00',
  '0100-01-01 00:00:00+00',
  '0044-03-15 00:00:00+00',
  '0044-03-15 00:00:00+00 BC',
  '12026-01-01 00:00:00+00',
  '2026-11-23 05:42:53.5+01',
  '2026-11-23 05:42:53+05:30',
  'infinity',
  '-infinity',
])('%s is read as the driver reads it', (text) => {
  expect(parseTimestamp(text)).toEqual(byDriver(text));
});
