import type { StartContext } from '../start-context.ts';
import { firstSuccess } from '../core/first-success.ts';
import { StartFailure } from '../core/start-failure.ts';
import { type Postgres, startPostgres } from './start-postgres.ts';
import { withClient } from './with-client.ts';

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

/**
 * Resolves when the PostgreSQL of a given DATABASE_URL responds; otherwise fails with one sentence, which never holds
 * the password.
 */
async function requireDatabase(url: string, signal?: AbortSignal): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const reason = await firstSuccess(
    () => withClient(url, async (client) => void (await client.query('select 1'))),
    signal,
  );
  if (reason === undefined) return;
  throw new StartFailure(
    `DATABASE_URL: the PostgreSQL at ${hostname}:${port || '5432'}, database ${pathname.slice(1) || '(none)'}, cannot be used (${withoutSecrets(reason, url)}).`,
  );
}

function withoutSecrets(text: string, url: string): string {
  const { password } = new URL(url);
  return [password, decodeURIComponent(password)]
    .filter(Boolean)
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}
