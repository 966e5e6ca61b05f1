import { expect, test } from '@jest/globals';
import { cpuTimeOf } from '../../../../../test/support/cpu-time.ts';
import { namesIn } from './called-names.ts';

test.each([
  'f(1)',
  's.f (1)',
  'S . F\t\r\n(1)',
  '"f"(1)',
  '"s"."f" (1)',
  '`f` (1)',
  'f/**/(1)',
  'f/* a /* ) */ " */(1)',
  'f -- a ( /*\n(1)',
  'f # note\n(1)',
  'f/*/*/**/*/*/(1)',
  "'it''s \"' || f(1)",
  "'\\' || f(1)",
  `'"', "f"('"')`,
  "$$ ' $$ || f(1)",
  "E'\\'' || f(1)",
  "'in a text: f(1)'",
  'F(1)',
])('%s names f in front of a parenthesis', (sql) => {
  expect(namesIn(`select ${sql}`)).toMatchObject({ isHidden: false });
  expect([...namesIn(`select ${sql}`).called]).toContain('f');
});

test.each(['f, (1)', 'f /* ( */ from t', 'f -- (\n', 'f ->> (1)', '"f", (1)', 'f /* not closed (1)'])(
  '%s names f in front of none',
  (sql) => {
    const { all, called } = namesIn(`select ${sql}`);
    expect([...called]).not.toContain('f');
    expect([...all]).toContain('f');
  },
);

test.each([
  ['größe(1)', 'größe'],
  ['Ärger(1)', 'ärger'],
  ['a$b(1)', 'a$b'],
  ['"a b"(1)', 'a b'],
  ['f\u00a0(1)', 'f\u00a0'],
  ['𐐀f(1)', '𐐀f'],
])('%s calls %j', (sql, name) => {
  expect([...namesIn(`select ${sql}`).called]).toContain(name);
});

test.each(['U&"\\0066"(1)', 'u&"\\0066" (1)', '"a""b"(1)', '`a``b` (1)'])('%s hides a name', (sql) => {
  expect(namesIn(`select ${sql}`).isHidden).toBe(true);
});

test.each(['a/*', 'a--', '"a"/*', 'a/**/', '"', 'a '])('%j many times over takes time that grows with it', (part) => {
  expect(cpuTimeOf(() => namesIn(part.repeat(Math.floor(100_000 / part.length))))).toBeLessThan(1_000);
});
