import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../core/files.ts';
import { runCommand } from '../core/run-command.ts';

/** The Go module from which the Temporal command can be built. It is also the only file with its version. */
export const temporalModule = join(checkout, 'scripts', 'temporal-cli');

/** The versions of the Temporal command, of the server inside it, and of Go that its build needs. */
type TemporalVersions = { readonly cli: string; readonly server: string; readonly go: string };

/** Returns the versions that the platform is developed against. */
export function pinnedTemporalVersions(): TemporalVersions {
  const goMod = readFileSync(join(temporalModule, 'go.mod'), 'utf8');
  return {
    cli: found(/^require github\.com\/temporalio\/cli v(\S+)$/m, goMod),
    server: found(/^\s+go\.temporal\.io\/server v(\S+)/m, goMod),
    go: found(/^go (\S+)$/m, goMod),
  };
}

/** Returns whether a dotted version such as 1.31.0 is at least another one. */
export function isAtLeast(version: string, least: string): boolean {
  const [have, want] = [version, least].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  for (const [at, part] of (want ?? []).entries()) {
    const difference = (have?.[at] ?? 0) - part;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function found(pattern: RegExp, text: string): string {
  const value = pattern.exec(text)?.[1];
  if (value === undefined) throw new Error(`go.mod of the Temporal command has no line like ${pattern.source}`);
  return value;
}

/** Returns whether this process may run a file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Resolves to the version of the server inside a command; undefined when it does not run or is no Temporal command. */
export async function serverVersionOf(path: string): Promise<string | undefined> {
  const { code, output } = await runCommand(path, ['--version']);
  return code === 0 ? /Server (\d+\.\d+\.\d+)/.exec(output)?.[1] : undefined;
}
