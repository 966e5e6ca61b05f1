import { withSettings } from '../../../domain/settings/setting-files.ts';
import { StartFailure } from '../core/start-failure.ts';
import { firstSuccess } from '../core/wait.ts';
import { endOfLog } from '../parts/part-list.ts';
import { spawnPart } from '../parts/spawn-part.ts';
import type { StartContext } from '../start-context.ts';
import { type Postgres, startPostgres, withClient } from './start-postgres.ts';

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
 * Resolves when the PostgreSQL of a given DATABASE_URL responds; otherwise fails with one sentence, without the
 * password.
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

/** Brings the database up to date, as its owner, in a process of its own. */
export async function migrate(ownerUrl: string, { stopping, openLog }: StartContext): Promise<void> {
  if (stopping.aborted) return;
  const log = openLog('migrate');
  const part = await spawnPart({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', 'db/orm/migrate.ts'],
    env: withSettings(process.env, { DATABASE_URL: ownerUrl }),
    log: log.write,
  });
  const abort = (): void => void part.end([{ signal: 'SIGTERM', limitMs: 5000 }]);
  stopping.addEventListener('abort', abort);
  const reason = await part.exited;
  stopping.removeEventListener('abort', abort);
  if (reason === 'exit code 0' || stopping.aborted) return;
  throw new StartFailure(
    `The database could not be brought up to date (${reason}). The end of the log, ${endOfLog(log)}`,
  );
}
