import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';
import type { CliProvider } from '../../../domain/providers/credential-forms.ts';

const run = promisify(execFile);

/** Where a vendor's own program is for the tests, or why they have none. */
export type RealCli = { readonly path: string } | { readonly missing: string };

interface Packed {
  /** The setting that names the program where it is installed. */
  readonly variable: string;
  readonly name: string;
  /** The version that the service was tried with. */
  readonly version: string;
  readonly file: string;
}

const PACKAGES: Readonly<Record<CliProvider, Packed>> = {
  'claude-code': {
    variable: 'CLAUDE_CODE_BIN',
    name: '@anthropic-ai/claude-code',
    version: '2.1.332',
    file: 'claude',
  },
  codex: { variable: 'CODEX_BIN', name: '@openai/codex', version: '0.171.0', file: 'codex' },
  'gemini-cli': { variable: 'GEMINI_CLI_BIN', name: '@google/gemini-cli', version: '0.61.0', file: 'gemini' },
};
/**
 * Not that of the user: where the tests run as root, programs run as another one. Nor the folder of temporary files of
 * this run, which goes with it.
 */
const CACHE = '/tmp/everturn-real-clis';
/** Two of them have some 400 MB. */
const INSTALL_MS = 300_000;

/** Finds the program of a vendor that a setting names, or else installs its package once for all runs of the tests. */
export async function findRealCli(provider: CliProvider): Promise<RealCli> {
  const { variable, name, version, file } = PACKAGES[provider];
  const named = env[variable];
  if (named !== undefined) return { path: named };
  const folder = join(CACHE, `${provider}-${version}`);
  const path = join(folder, 'node_modules/.bin', file);
  if (existsSync(path)) return { path };
  try {
    await mkdir(CACHE, { recursive: true });
    const unfinished = await mkdtemp(join(CACHE, `${provider}-`));
    try {
      // One of them puts its program into place only then.
      const options = [
        '--prefix',
        unfinished,
        '--ignore-scripts=false',
        '--no-audit',
        '--no-fund',
        '--no-package-lock',
      ];
      await run('npm', ['install', ...options, `${name}@${version}`], { timeout: INSTALL_MS });
      await run('chmod', ['755', unfinished]);
      await rename(unfinished, folder);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
    return { path };
  } catch {
    return { missing: `${variable} names no program, and ${name} cannot be installed` };
  }
}
