import { execFile } from 'node:child_process';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../scripts/stack/home.ts';

/** A program that writes clients from a description of an API. */
export interface ClientGenerator {
  readonly name: string;
  /** Installs it and the libraries of its clients, unless they are there. Rejects with `NotInstalled`. */
  install(): Promise<void>;
  /** Writes a client for a document of OpenAPI, a file, and compiles it with the program that uses it. */
  compile(document: string, folder: string): Promise<void>;
  /** Runs the program with an address, an e-mail address and a password; returns what it prints. */
  use(folder: string, args: readonly string[]): Promise<string>;
}

/** The folder of the programs that use generated clients. */
export const PROGRAMS = fileURLToPath(new URL('../../generated-client', import.meta.url));

/** A program that a generator needs is not there. */
export class NotInstalled extends Error {
  override readonly name = 'NotInstalled';

  constructor(command: string) {
    super(`${command} is not installed`);
  }
}

const MAX_OUTPUT = 64 * 1024 * 1024;
const SHOWN = 2_000;

/** Returns a folder that outlives the run. */
export function generatorFolder(name: string): string {
  return join(cacheFolder(), 'client-generators', name);
}

/** Runs a program; returns what it prints. Rejects with the end of that when it fails, and with `NotInstalled`. */
export async function run(
  command: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  try {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: MAX_OUTPUT };
    return (await promisify(execFile)(command, args, options)).stdout;
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (code === 'ENOENT') throw new NotInstalled(command);
    throw new Error(`${stdout}\n${stderr}`.trim().slice(-SHOWN), { cause: error });
  }
}

/** Does what fills a folder of the cache, unless it was done to its end before. */
export async function once(folder: string, fill: () => Promise<unknown>): Promise<void> {
  const mark = join(folder, '.installed');
  const isDone = await access(mark).then(
    () => true,
    () => false,
  );
  if (isDone) return;
  await fill();
  await writeFile(mark, '');
}
