import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { promisify } from 'node:util';

/** A bubblewrap that can be used, and a text that changes when its file does. */
export interface FoundBwrap {
  readonly path: string;
  readonly stamp: string;
}

const run = promisify(execFile);
const SET_USER_ID = 0o4000;
const SEARCHED = ['/usr/bin', '/usr/local/bin', '/bin'];
/** The first version 0 that can forbid namespaces inside. */
const MIN_MINOR = 8;

/** Finds bubblewrap at the given path, or else where programs are installed; throws in words why it cannot be used. */
export async function findBwrap(given: string | undefined): Promise<FoundBwrap> {
  const path = given ?? SEARCHED.map((folder) => `${folder}/bwrap`).find(isExecutable);
  if (path === undefined) throw new Error('bubblewrap is not installed');
  const stamp = stampOf(path);
  if (stamp === undefined || !isExecutable(path)) throw new Error(`${path} is not there or cannot be run`);
  if (becomesRoot(path)) throw new Error(`${path} runs as root (setuid), which the sandbox does not allow`);
  if (!isNewEnough(await versionOf(path))) throw new Error(`${path} is not bubblewrap 0.8 or later`);
  return { path, stamp };
}

function becomesRoot(path: string): boolean {
  const { uid, mode } = statSync(path);
  return uid === 0 && (mode & SET_USER_ID) !== 0;
}

function isNewEnough(version: string): boolean {
  const [, major, minor] = /^bubblewrap (\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 0 || (major === '0' && Number(minor) >= MIN_MINOR);
}

/** Returns a text that changes when the file is replaced or changed; undefined when there is none. */
export function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs, stats.mode].join(' ');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function versionOf(path: string): Promise<string> {
  try {
    return (await run(path, ['--version'], { env: {}, timeout: 5_000 })).stdout;
  } catch {
    return '';
  }
}
