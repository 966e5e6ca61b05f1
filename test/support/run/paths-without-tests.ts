import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testsOfLength } from './tests-of-length.ts';

/** Options of jest that stand before a value of their own. */
const TAKES_VALUE: ReadonlySet<string> = new Set(
  [
    ['-t', '--testNamePattern', '-c', '--config', '--seed', '--shard', '-w', '--maxWorkers', '--maxConcurrency'],
    ['--testTimeout', '--reporters', '--selectProjects', '--outputFile', '--changedSince', '--testPathIgnorePatterns'],
  ].flat(),
);
/** Options by which other arguments are no paths of tests, or need not be. */
const NAMES_OTHERS: ReadonlySet<string> = new Set(['--passWithNoTests', '--findRelatedTests', '--runTestsByPath']);

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Returns a sentence for each path among the arguments of a run that none of its tests has. */
export function pathsWithoutTests(args: readonly string[]): string[] {
  if (args.some((arg) => NAMES_OTHERS.has(arg))) return [];
  const isLong = args.includes('jest.long.config.mjs');
  const has = (path: string, inLong: boolean) =>
    testsOfLength(inLong ? 'long' : 'short').some((test) =>
      [test, join(root, test)].some((name) => new RegExp(path, 'i').test(name)),
    );
  // The value of an option is none.
  const paths = args.filter((arg, at) => !arg.startsWith('-') && !TAKES_VALUE.has(args[at - 1] ?? ''));
  return paths
    .filter((path) => !has(path, isLong))
    .map((path) => {
      if (!has(path, !isLong)) return `No test has the path ${path}.`;
      return isLong ? `${path} is no long test: npm test -- ${path}` : `Only long: npm run test:long -- ${path}`;
    });
}
