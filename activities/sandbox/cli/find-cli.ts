import { accessSync, closeSync, constants, openSync, readSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { NODE } from '../egress/forwarder.ts';
import { stampOf } from '../find-bwrap.ts';

/** A command-line program of this machine, as the sandbox can run it. */
export interface FoundCli {
  /** What its arguments follow. */
  readonly command: readonly string[];
  /** The files that it consists of. */
  readonly readable: readonly string[];
  /** A text that changes when the program does. */
  readonly stamp: string;
}

const SEARCHED = ['/usr/local/bin', '/usr/bin', '/bin'];
const MAX_FIRST_LINE = 200;
const PACKAGES = `${sep}node_modules${sep}`;

/** Finds a program at the given path, or else where programs are installed; throws in words why it cannot be used. */
export function findCli(name: string, given: string | undefined): FoundCli {
  const path = given ?? SEARCHED.map((folder) => `${folder}/${name}`).find(isExecutable);
  if (path === undefined) throw new Error(`the program "${name}" is not installed on the worker`);
  if (!isExecutable(path)) throw new Error(`${path} is not there, or cannot be run`);
  const file = realpathSync(path);
  return {
    // The system of the worker need not have a Node, or one that is new enough.
    command: isForNode(file) ? [NODE, file] : [file],
    readable: file.startsWith('/usr/') ? [] : [filesOf(file)],
    stamp: `${file} ${stampOf(file) ?? ''}`,
  };
}

// A package finds others beside it. Of a program that stands alone nothing around it is shown: that may be a home.
function filesOf(file: string): string {
  const at = file.indexOf(PACKAGES);
  return at === -1 ? file : file.slice(0, at + PACKAGES.length - 1);
}

function isForNode(file: string): boolean {
  const start = Buffer.alloc(MAX_FIRST_LINE);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, start);
  } finally {
    closeSync(descriptor);
  }
  return /^#!.*\bnode\b/.test(start.toString('latin1').split('\n', 1)[0] ?? '');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
