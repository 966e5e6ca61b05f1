import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A file or a folder of the code, in backticks. */
const PATH =
  /`((?:activities|api|bench|builtin|chaos|console|db|definition-files|deploy|domain|files|operator|packages|scripts|telemetry|test|worker|workflows)\/[\w./-]+)`/g;

/** What only a build or a test run leaves, and a test that the table of long tests names without its layer. */
const ELSEWHERE = ['console/dist', 'test/browser/shots', 'packages/sdk/src/openapi.ts', 'files/extraction/extract'];

test('each file and folder of the code that the documentation names is there', () => {
  const named = globSync('docs/**/*.md', { cwd: root }).flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(PATH)].map(([, path = '']) => ({ page, path })),
  );
  expect(named.length).toBeGreaterThan(100);
  const isThere = (path: string) => ['', '.ts', '.test.ts'].some((end) => existsSync(join(root, path + end)));
  expect(named.filter(({ path }) => !ELSEWHERE.includes(path) && !isThere(path))).toEqual([]);
});

test('a test has the name that the documentation filters by', () => {
  const page = readFileSync(join(root, 'docs/tests.md'), 'utf8');
  const named = [...page.matchAll(/npm test -- (\S+) -t '([^']+)'/g)].map(([, path = '', name = '']) => ({
    path,
    name,
  }));
  expect(named).not.toEqual([]);
  const isThere = ({ path, name }: (typeof named)[number]) =>
    globSync(`${path}/**/*.test.ts`, { cwd: root }).some((file) =>
      readFileSync(join(root, file), 'utf8').includes(name),
    );
  expect(named.filter((filter) => !isThere(filter))).toEqual([]);
});
