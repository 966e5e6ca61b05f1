import type { Credentials } from './init-cluster.ts';
import { withClient } from './with-client.ts';

/** Creates the database `everturn` with its owner and the role of the service, as far as they are missing. */
export async function ensureDatabase(adminUrl: string, credentials: Credentials): Promise<void> {
  await withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ has_role: boolean; has_service: boolean; has_database: boolean }>(
      `select exists (select from pg_roles where rolname = 'everturn') as has_role,
              exists (select from pg_roles where rolname = 'everturn_service') as has_service,
              exists (select from pg_database where datname = 'everturn') as has_database`,
    );
    if (rows[0]?.has_role !== true) {
      await client.query(`create role everturn login createdb password ${client.escapeLiteral(credentials.everturn)}`);
    }
    if (rows[0]?.has_service !== true) await client.query('create role everturn_service');
    // Where a superuser ran the platform before, there is a role without a password.
    await client.query(`alter role everturn_service login password ${client.escapeLiteral(credentials.service)}`);
    // The owner may end what the service has under way, to drop a database for one.
    await client.query('grant everturn_service to everturn');
    if (rows[0]?.has_database !== true) await client.query('create database everturn owner everturn');
  });
}
