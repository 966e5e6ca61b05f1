import pg from 'pg';

/** The role of `migration-20261121-first-light.ts` that row-level security binds. */
const SERVICE_ROLE = 'everturn_service';

/**
 * Start-up options that make every new connection subject to row-level security. A superuser passes it by, so for one
 * the connections take on the service role; any other user is bound already (`force row level security`).
 * Throws when the database cannot be reached.
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
