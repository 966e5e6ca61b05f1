import type { Client } from 'pg';
import { ToolFailure } from '../../../tool-failure.ts';
import { namesIn } from './sql-statement.ts';

/** Functions of PostgreSQL that are volatile because their answer changes, not because they change anything. */
const HARMLESS: readonly string[] = [
  'clock_timestamp',
  'current_query',
  'currval',
  'gen_random_uuid',
  'lastval',
  'pg_blocking_pids',
  'pg_current_wal_flush_lsn',
  'pg_current_wal_insert_lsn',
  'pg_current_wal_lsn',
  'pg_database_size',
  'pg_indexes_size',
  'pg_is_in_recovery',
  'pg_is_wal_replay_paused',
  'pg_last_wal_receive_lsn',
  'pg_last_wal_replay_lsn',
  'pg_last_xact_replay_timestamp',
  'pg_lock_status',
  'pg_partition_ancestors',
  'pg_partition_tree',
  'pg_relation_size',
  'pg_sequence_last_value',
  'pg_table_size',
  'pg_tablespace_size',
  'pg_total_relation_size',
  'random',
  'random_normal',
  'timeofday',
  'uuidv4',
  'uuidv7',
];

/**
 * The same of functions that extensions bring, each after the name of its extension. They are taken for harmless where
 * they are written in C, which superusers alone can add: anybody can name one of their own so.
 */
const HARMLESS_OF_EXTENSIONS: readonly string[] = [
  'pgcrypto.gen_random_bytes',
  'pgcrypto.gen_random_uuid',
  'pgcrypto.gen_salt',
  'timescaledb.interpolate',
  'timescaledb.locf',
  'timescaledb.time_bucket_gapfill',
  'uuid-ossp.uuid_generate_v1',
  'uuid-ossp.uuid_generate_v1mc',
  'uuid-ossp.uuid_generate_v4',
];

/**
 * Finds what a statement with these names may run that is volatile. `t.f` calls `f(t)` when `t` is a row. Functions
 * that take an `internal` value are called by the server alone.
 */
const VOLATILE = `
  with called as (
    select p.oid
    from pg_catalog.pg_proc p
    where p.proname = any($1::pg_catalog.name[]) and (
      p.proname = any($2::pg_catalog.name[])
      or (p.pronargs > 0 and p.pronargs - p.pronargdefaults <= 1 and exists (
        select from pg_catalog.pg_type t where t.oid = p.proargtypes[0] and t.typtype in ('c', 'd', 'p')))
    )
    union
    select o.oprcode::pg_catalog.oid
    from pg_catalog.pg_operator o
    where pg_catalog.strpos($3::pg_catalog.text, o.oprname::pg_catalog.text) > 0
    union
    select c.castfunc
    from pg_catalog.pg_cast c join pg_catalog.pg_type t on t.oid = c.casttarget
    where t.typname = any($1::pg_catalog.name[])
  ), run as (
    select oid from called
    union
    select pg_catalog.unnest(array[aggtransfn, aggfinalfn, aggmtransfn, aggminvtransfn, aggmfinalfn])::pg_catalog.oid
    from pg_catalog.pg_aggregate
    where aggfnoid::pg_catalog.oid in (select oid from called)
  )
  select distinct pg_catalog.format('%I.%I', n.nspname, p.proname) as name
  from run
    join pg_catalog.pg_proc p on p.oid = run.oid
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where p.provolatile = 'v'
    and not (n.nspname = 'pg_catalog' and p.proname = any($4::pg_catalog.name[]))
    and not exists (
      select from pg_catalog.pg_depend d
        join pg_catalog.pg_extension e on e.oid = d.refobjid
        join pg_catalog.pg_language l on l.oid = p.prolang
      where d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = p.oid and d.deptype = 'e'
        and l.lanname = 'c' and pg_catalog.format('%s.%s', e.extname, p.proname) = any($5::pg_catalog.text[]))
    and 'pg_catalog.internal'::pg_catalog.regtype::pg_catalog.oid <> all (p.proargtypes)
  order by name
  limit 5`;

/** Throws when a statement that is to read calls a function whose effect a read-only transaction may not prevent. */
export async function requireNoVolatile(client: Client, sql: string): Promise<void> {
  const { all, called } = namesIn(sql);
  const { rows } = await client.query<{ name: string }>(VOLATILE, [
    [...all],
    [...called],
    sql,
    HARMLESS,
    HARMLESS_OF_EXTENSIONS,
  ]);
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw new ToolFailure(
    'denied',
    `The statement calls ${names}, which may change something (volatile): the call needs \`write: true\`, and an integration that allows writes`,
    { isForeign: true },
  );
}
