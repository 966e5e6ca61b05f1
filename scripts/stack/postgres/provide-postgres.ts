import type { StartContext } from '../start-context.ts';
import { requireDatabase } from './require-database.ts';
import { type Postgres, startPostgres } from './start-postgres.ts';

/** Resolves to the addresses of the database: of the server that the settings name, or of one that is started here. */
export async function providePostgres(context: StartContext): Promise<Pick<Postgres, 'url' | 'ownerUrl'>> {
  const { settings, ports, home, parts, say, openLog } = context;
  const { DATABASE_URL: given } = settings;
  const port = ports.POSTGRES_PORT;
  if (given !== undefined) {
    const ownerUrl = settings.MIGRATION_DATABASE_URL ?? given;
    await requireDatabase(ownerUrl, context.stopping);
    return { url: given, ownerUrl };
  }
  const log = openLog('postgres');
  const postgres = await parts.keep({
    key: 'postgres',
    name: 'PostgreSQL',
    log,
    start: (signal) => startPostgres({ dataDir: home.postgres, port, log: log.write, signal }),
  });
  say(`PostgreSQL runs on port ${port}.`);
  return postgres;
}
