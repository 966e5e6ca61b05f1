import { existsSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

import { errorCode } from '../core/error-code.ts';
import { makeFolder } from '../core/make-folder.ts';
import { StartFailure } from '../core/start-failure.ts';
import { writeDurably } from '../core/write-durably.ts';

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
 * Creates the data folder and what is in it. A folder that cannot be written, or a full disk, is told in one sentence.
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
