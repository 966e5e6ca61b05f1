import { expect, test } from '@jest/globals';
import { cpuTimeOf } from '../../../../../test/support/cpu-time.ts';
import { kindOfStatement, namesIn } from './sql-statement.ts';

test.each([
  'select 1',
  '  SELECT 1;',
  '-- note\nselect 1',
  '/* a /* b */ c */ (select 1)',
  '# note\nshow tables',
  'with x as (select 1) select * from x',
  'explain analyze select 1',
  'values (1)',
  'describe t',
  "select sleep, 'pg_notify', lo_count from set_config",
  'select hello_world(1), my_nextval (2)',
])('%j reads', (sql) => {
  expect(kindOfStatement(sql)).toEqual({ isWrite: false });
});

test.each([
  'insert into t values (1)',
  'DELETE FROM t',
  'drop table t',
  'do $$ begin end $$',
  'call p()',
  'vacuum',
  'select pg_terminate_backend(pid) from pg_stat_activity',
  "select dblink_exec('server', 'delete from t')",
  'select U&"pg\\005fcancel_backend"(1)',
  "select query_to_xml('select pg_term' || 'inate_backend(1)', true, false, '')",
  "select * from ts_stat('select ' || '1')",
  "select pg_catalog . PG_NOTIFY /* ' */ ('a', 'b')",
  'select "pg_advisory_lock"(42)',
  'with x as (select pg_try_advisory_xact_lock(1)) select * from x',
  "select pg_logical_emit_message(false, 'a', 'b')",
  "select * from crosstab('select 1')",
  "select set_config('a.b', 'c', false)",
  "select lo_get(1), nextval('s')",
  "select get_lock('a', 1)",
  'select `sys_exec`(1)',
  'select benchmark(1, 1) + sleep (1)',
])('%j may write', (sql) => {
  expect(kindOfStatement(sql)).toEqual({ isWrite: true });
});

test.each([
  'commit',
  'COMMIT; drop table t',
  '/* x */ rollback',
  'set session characteristics as transaction read write',
  'SET TRANSACTION READ WRITE',
  'begin',
  "copy t to program 'sh'",
  "load data local infile '/etc/passwd' into table t",
  "LOAD 'library'",
  'kill 1',
  'lock table t',
  'prepare p as select 1',
  "select /*!50000 1 into outfile '/tmp/x' */",
  '/*M! select 1 */',
  '/* never closed select 1',
  "-- a\rcopy t to program 'sh' --\nselect 1",
  '',
  '1',
])('%j is not run', (sql) => {
  expect(kindOfStatement(sql)).toEqual({ refusal: expect.any(String) });
});

test('a statement of many comments is read in time that grows with it', () => {
  expect(kindOfStatement(`${'/**/ '.repeat(20_000)}select 1`)).toEqual({ isWrite: false });
});

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
