import pg from 'pg';

/**
 * The role that the service works as. It owns nothing, so it can change rows, but neither tables nor their policies.
 */
const SERVICE_ROLE = 'everturn_service';

/**
 * Lets the service role use every table, if the role exists; the audit log it may only read and add to. A superuser
 * creates the role, because its own connections take it on (`serviceRoleOptions`). Run after each migration by the
 * owner of the tables; harmless to repeat.
 */
export const ENSURE_SERVICE_ROLE = `
do $$
begin
  if (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) then
    begin
      create role ${SERVICE_ROLE} nologin;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if exists (select from pg_roles where rolname = '${SERVICE_ROLE}') then
    grant usage on schema public to ${SERVICE_ROLE};
    grant select, insert, update, delete on all tables in schema public to ${SERVICE_ROLE};
    grant usage, select on all sequences in schema public to ${SERVICE_ROLE};
    -- What was recorded stays: entries go only with their organization, which their table's owner then removes.
    revoke update, delete, truncate on audit_log, audit_log_records from ${SERVICE_ROLE};
  end if;
end $$;
`;

/**
 * Returns start-up options that make every new connection subject to row-level security. A superuser bypasses it, so
 * its connections take on the service role; any other user is bound already (`force row level security`). Throws when
 * the database cannot be reached.
 */
export async function serviceRoleOptions(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ bypasses: boolean }>(
      'select rolsuper or rolbypassrls as bypasses from pg_roles where rolname = current_user',
    );
    return rows[0]?.bypasses === true ? `-c role=${SERVICE_ROLE}` : '';
  } finally {
    await client.end();
  }
}
