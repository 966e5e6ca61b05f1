import { delimiter, join } from 'node:path';
import { describe } from '@jest/globals';
import { isExecutable } from '../../scripts/stack/temporal/temporal-versions.ts';

/** Folders of programs that are for administrators, which not everybody has on the PATH. */
const MORE_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/**
 * Describes what needs a program that is not part of the project, and skips it, with the reason, where it is absent.
 */
export function describeWithProgram(title: string, names: readonly string[], tests: (path: string) => void): void {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), ...MORE_FOLDERS];
  const path = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
  if (path !== undefined) describe(title, () => tests(path));
  else describe.skip(`${title} (skipped: ${names.join(' or ')} is not installed)`, () => tests(''));
}
