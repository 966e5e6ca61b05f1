import pg from 'pg';
import type { Database } from '../../db/core/database.ts';
import { sharedPostgres, withDatabase } from '../support/shared-services.ts';

const watched = new Map<string, Promise<void>>();

/**
 * Returns a text that stays the same as long as no row changes, but those of the audit log, which grows with what is
 * refused too. It names the last write, to say more than that there was one.
 */
export async function fingerprint({ url, system }: Database): Promise<string> {
  const watching = watched.get(url) ?? watch(url);
  watched.set(url, watching);
  await watching;
  const { rows } = await system.query<{ write: string }>(
    "select id || ' ' || what as write from watched.writes order by id desc limit 1",
  );
  return rows[0]?.write ?? 'none';
}

/** Makes every table of the database note the writes to it: comparing all rows took longer than the requests. */
async function watch(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const owner = new pg.Client({ connectionString: withDatabase((await sharedPostgres()).ownerUrl, name) });
  await owner.connect();
  await owner.query(WATCH);
  await owner.end();
}

// An update that leaves a row as it was is none. The images of rows are compared: json has no operator for equality.
const WATCH = `
create schema watched;
create table watched.writes (id bigint generated always as identity primary key, what text not null);
grant usage on schema watched to public;
grant select on watched.writes to public;
create function watched.note() returns trigger language plpgsql security definer as $$
begin
  insert into watched.writes (what) values (lower(tg_op) || ' ' || tg_table_name);
  return null;
end $$;
do $$
declare name text;
begin
  for name in
    select relname from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'audit_log%'
  loop
    execute format('create trigger watched_rows after insert or delete on %I
      for each row execute function watched.note()', name);
    execute format('create trigger watched_updates after update on %I
      for each row when (old.* *<> new.*) execute function watched.note()', name);
  end loop;
end $$;
`;
