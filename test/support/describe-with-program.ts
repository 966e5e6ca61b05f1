import { delimiter, join } from 'node:path';
import { describe } from '@jest/globals';
import { isExecutable } from '../../scripts/stack/temporal/temporal-versions.ts';

/** Folders of programs that are for administrators, which not everybody has on the PATH. */
const MORE_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/**
 * Describes what needs one of some programs that are not part of the project, and skips it, with the reason, where all
 * are absent.
 */
export function describeWithProgram(title: string, names: readonly string[], tests: (path: string) => void): void {
  const path = names.map(findProgram).find((found) => found !== undefined);
  if (path !== undefined) describe(title, () => tests(path));
  else describe.skip(`${title} (skipped: ${names.join(' or ')} is not installed)`, () => tests(''));
}

/** Describes what root does with all of some programs, and skips it, with the reason, where one is absent. */
export function describeAsRootWith(title: string, names: readonly string[], tests: () => void): void {
  const missing = names.filter((name) => findProgram(name) === undefined);
  const reason = process.getuid?.() === 0 ? `not installed: ${missing.join(', ')}` : 'only root can do this';
  if (process.getuid?.() === 0 && missing.length === 0) describe(title, tests);
  else describe.skip(`${title} (skipped: ${reason})`, tests);
}

function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), ...MORE_FOLDERS];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}
