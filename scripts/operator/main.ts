import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withSettings } from '../../domain/settings/setting-files.ts';
import { checkout } from '../stack/core/files.ts';
import { StartFailure } from '../stack/core/start-failure.ts';
import { readStartSettings, type Settings } from '../stack/env.ts';
import { addSecretKey, type Home, keptSecretKey, prepareHome } from '../stack/home.ts';
import { choosePorts, lastPorts } from '../stack/ports.ts';
import { startPostgres } from '../stack/postgres/start-postgres.ts';
import { takeLock } from '../stack/processes.ts';

// npm run backup, restore, doctor, rotate-key, export-data, delete-data: runs a program of `operator/` with the
// settings and the embedded services of `npm start`, whether that runs or not. `rotate-key --new-key` first puts a new
// key before the kept ones.

const NEW_KEY = '--new-key';

/** The programs whose last argument is a path. */
const TAKE_PATH: ReadonlySet<string> = new Set(['backup', 'restore', 'export-data']);

const [command = '', ...given] = process.argv.slice(2);
const isNewKey = command === 'rotate-key' && given.includes(NEW_KEY);
const args = isNewKey ? given.filter((arg) => arg !== NEW_KEY) : given;
process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof StartFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  return 1;
});

async function main(): Promise<number> {
  const read = readStartSettings(process.env);
  if ('issues' in read) throw new StartFailure(read.issues.join('\n'));
  const { settings } = read;
  const home = prepareHome(settings.EVERTURN_HOME);
  const SECRET_KEY = secretKeyOf(settings, home);
  const ports = lastPorts(home);
  const env = withSettings(process.env, {
    SECRET_KEY,
    EVERTURN_HOME: home.folder,
    TEMPORAL_ADDRESS: settings.TEMPORAL_ADDRESS ?? `127.0.0.1:${settings.TEMPORAL_PORT ?? ports.TEMPORAL_PORT}`,
    PORT: String(settings.PORT ?? ports.PORT),
  });
  return withDatabase(settings, home, async (DATABASE_URL) => run(withSettings(env, { DATABASE_URL })));
}

function secretKeyOf({ SECRET_KEY: keys }: Settings, home: Home): string {
  const file = join(home.secrets, 'secret-key');
  if (isNewKey) {
    if (keys !== undefined) throw new StartFailure('SECRET_KEY is set: add the new key there, before the others.');
    // A running api or worker could not read what is encrypted with the new key.
    const lock = takeLock(join(home.run, 'lock'));
    if (!lock.held) throw isRunning(home, lock.by);
    lock.release();
    return addSecretKey(home);
  }
  if (keys !== undefined) return keys.join(',');
  // A generated key could not decrypt any backup.
  if (command !== 'restore' || existsSync(file)) return keptSecretKey(home);
  throw new StartFailure(`The key of the backup is needed: put it into ${file}, or set SECRET_KEY.`);
}

function isRunning(home: Home, by: number): StartFailure {
  return new StartFailure(`Everturn is running with the data folder ${home.folder} (process ${by}): stop it first.`);
}

/**
 * Calls `use` with the URL of the database: the one of DATABASE_URL, the embedded one that is running, or the embedded
 * one started for this command alone.
 */
async function withDatabase(settings: Settings, home: Home, use: (url: string) => Promise<number>): Promise<number> {
  const { DATABASE_URL: url, MIGRATION_DATABASE_URL: ownerUrl } = settings;
  const isOwner = command === 'restore';
  if (url !== undefined) return use(isOwner ? (ownerUrl ?? url) : url);
  const lock = takeLock(join(home.run, 'lock'));
  if (!lock.held && isOwner) throw isRunning(home, lock.by);
  if (!lock.held) return use(embeddedUrl(settings, home));
  try {
    // The doctor reports an embedded PostgreSQL that is not running, and does not start it.
    if (command === 'doctor') return await use(embeddedUrl(settings, home));
    const { POSTGRES_PORT: port } = await choosePorts(settings, { home, say: () => undefined });
    const postgres = await startPostgres({ dataDir: home.postgres, port, log: () => undefined });
    try {
      return await use(isOwner ? postgres.ownerUrl : postgres.url);
    } finally {
      await postgres.stop();
    }
  } finally {
    lock.release();
  }
}

function embeddedUrl(settings: Settings, home: Home): string {
  const file = join(home.postgres, 'credentials.json');
  if (!existsSync(file)) {
    throw new StartFailure(
      `There is no database in ${home.folder}: npm start creates one, and EVERTURN_HOME names another folder.`,
    );
  }
  const { service } = JSON.parse(readFileSync(file, 'utf8')) as { service: string };
  const port = settings.POSTGRES_PORT ?? lastPorts(home).POSTGRES_PORT;
  return `postgres://everturn_service:${service}@127.0.0.1:${port}/everturn`;
}

async function run(env: NodeJS.ProcessEnv): Promise<number> {
  // npm runs scripts in the folder of the package, while arguments are relative to that of the caller.
  const from = process.env['INIT_CWD'] ?? process.cwd();
  const path = TAKE_PATH.has(command) ? args.at(-1) : undefined;
  const passed = path === undefined || path.startsWith('-') ? args : [...args.slice(0, -1), resolve(from, path)];
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', `operator/${command}.ts`, ...passed],
    {
      cwd: checkout,
      env,
      stdio: 'inherit',
    },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
