import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** What a test imports that has further cases in the long run. */
const IN_LENGTH = '/support/in-length.ts';

/** Returns the paths of the test files of a run, relative to the checkout: of `npm test`, or of `npm run test:long`. */
export function testsOfLength(length: 'short' | 'long'): string[] {
  const tests = globSync('*/**/*.test.{ts,tsx}', { cwd: ROOT, exclude: (name) => name === 'node_modules' });
  const isOnlyLong = (test: string) => test.includes('.long.test.');
  if (length === 'short') return tests.filter((test) => !isOnlyLong(test));
  return tests.filter((test) => isOnlyLong(test) || readFileSync(join(ROOT, test), 'utf8').includes(IN_LENGTH));
}
