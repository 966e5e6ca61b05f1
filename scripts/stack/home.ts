import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { errorCode, makeFolder, writeDurably } from './core/files.ts';
import { StartFailure } from './core/start-failure.ts';
import { waitUntil } from './core/wait.ts';
import { type LockResult, takeLock } from './processes.ts';

/** The folders and files of an installation. */
export type Home = {
  readonly folder: string;
  readonly postgres: string;
  readonly temporal: string;
  readonly logs: string;
  readonly run: string;
  readonly secrets: string;
};

/**
 * Creates the data folder and what is in it. A folder that cannot be written, or a full disk, is reported in one
 * sentence.
 */
export function prepareHome(folder: string): Home {
  const home: Home = {
    folder,
    postgres: join(folder, 'postgres'),
    temporal: join(folder, 'temporal'),
    logs: join(folder, 'logs'),
    run: join(folder, 'run'),
    secrets: join(folder, 'secrets'),
  };
  try {
    makeFolder(folder);
    for (const path of [home.temporal, home.logs, home.run, home.secrets]) makeFolder(path, 0o700);
    writeDurably(join(home.run, 'trial'), Buffer.alloc(1024 * 1024));
    rmSync(join(home.run, 'trial'));
    requireSpace(folder, existsSync(join(home.postgres, 'cluster')) ? 32 : 200);
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    throw new StartFailure(`${homeIssue(folder, error)} Set EVERTURN_HOME to a folder that can be written.`);
  }
  return home;
}

/** Fails now, with one sentence, rather than with a database that stops in the middle of its start. */
function requireSpace(folder: string, megabytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / 1e6);
  if (free >= megabytes) return;
  throw new StartFailure(
    `The disk of the data folder ${folder} has ${free} MB left and ${megabytes} MB are needed: free some, or set EVERTURN_HOME to a folder elsewhere.`,
  );
}

function homeIssue(folder: string, error: unknown): string {
  const path = typeof error === 'object' && error !== null && 'path' in error ? String(error.path) : folder;
  switch (String(errorCode(error))) {
    case 'EACCES':
    case 'EPERM':
      return `The data folder ${folder} cannot be written.`;
    case 'EROFS':
      return `The data folder ${folder} cannot be written (read-only file system).`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `The disk of the data folder ${folder} is full.`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `The data folder ${folder} cannot be created: ${path} or a part of it is a file.`;
    default:
      return `The data folder ${folder} cannot be used (${errorCode(error) ?? String(error)}).`;
  }
}

/**
 * Locks the data folder for this run. Waits for an earlier run that is just stopping, as after `npm` was asked to end;
 * rejects with a StartFailure when one is at work.
 */
export async function lockHome(
  home: Home,
  { say, stopping }: { say: (line: string) => void; stopping: AbortSignal },
): Promise<LockResult & { held: true }> {
  const file = join(home.run, 'lock');
  const stoppingNote = join(home.run, 'stopping');
  const isStopping = existsSync(stoppingNote);
  let lock = takeLock(file);
  if (!lock.held && isStopping) {
    say('An earlier run is still stopping; waiting for it ...');
    await waitUntil(() => (lock = takeLock(file)).held, { limitMs: 60_000, everyMs: 200, signal: stopping });
  }
  if (!lock.held) {
    throw new StartFailure(
      `Everturn already runs with the data folder ${home.folder} (process ${lock.by}): stop it, or set EVERTURN_HOME to another folder.`,
    );
  }
  rmSync(stoppingNote, { force: true });
  stopping.addEventListener('abort', () => {
    try {
      writeFileSync(stoppingNote, '');
    } catch {
      // A full disk must not keep anything from being stopped in order.
    }
  });
  return lock;
}

/** Returns the folder for what was fetched or built once for all installations of a user. It may not exist yet. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['XDG_CACHE_HOME'];
  return join(named !== undefined && named !== '' ? resolve(named) : join(homedir(), '.cache'), 'everturn');
}

/** Returns where a part's process is noted, so that a later run can stop it. */
export function recordFile(home: Home, part: 'api' | 'worker' | 'temporal'): string {
  return join(home.run, `${part}.pid`);
}

/** Returns the keys of `SECRET_KEY`, separated by commas: one is created at the first start, and kept. */
export function keptSecretKey(home: Home): string {
  const file = join(home.secrets, 'secret-key');
  if (existsSync(file)) {
    const keys = readFileSync(file, 'utf8').trim();
    if (keys.length >= 32) return keys;
    throw new StartFailure(
      `${file}, which holds the key of all stored secrets, is damaged: put it back from a backup.`,
    );
  }
  return writeSecretKeys(file, [newSecretKey()]);
}

/** Puts a new key before the kept ones, which still decrypt and verify. Returns all of them. */
export function addSecretKey(home: Home): string {
  return writeSecretKeys(join(home.secrets, 'secret-key'), [newSecretKey(), keptSecretKey(home)]);
}

function newSecretKey(): string {
  return randomBytes(32).toString('base64url');
}

function writeSecretKeys(file: string, keys: readonly string[]): string {
  const list = keys.join(',');
  writeDurably(file, list);
  chmodSync(file, 0o600);
  return list;
}
