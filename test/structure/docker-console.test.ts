import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { longTest } from '../support/in-length.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'docker-console-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const dockerfile = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
const kept = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));

/** Returns what a stage of the Dockerfile copies from the sources, which are copied to the same place. */
function copiesOf(stage: string): string[] {
  const [, lines = ''] = dockerfile.split(` AS ${stage}\n`);
  const own = lines.split('\nFROM ')[0] ?? '';
  const copies = own.matchAll(/^COPY (?!--from)(?<names>.+) \S+$/gm);
  return [...copies].flatMap(({ groups }) => groups?.['names']?.split(' ') ?? []);
}

const copies = copiesOf('console');
beforeAll(() => {
  const isWanted = (source: string) => !/\/(dist[^/]*|node_modules|[^/]+\.test\.tsx?)$/.test(source);
  for (const name of copies)
    cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true, filter: isWanted });
});

test('the image of the console contains what is copied there, and with each file those that it imports', () => {
  expect(kept).toEqual(expect.arrayContaining(copies));
  const isBuilt = (name: string) => /^(?:console|domain|scripts\/console)\/.*\.tsx?$/.test(name);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isBuilt);
  expect(files.length).toBeGreaterThan(100);
  const imports = files.flatMap((name) => {
    const found = readFileSync(path.join(folder, name), 'utf8').matchAll(/(?:from|import)\s*\(?'(?<to>\.[^'?]+)/g);
    return [...found].map(({ groups }) => path.join(path.dirname(name), groups?.['to'] ?? ''));
  });
  const missing = imports.filter((name) => !existsSync(path.join(folder, name)));
  // Types, which the build leaves out.
  expect(missing.filter((name) => name !== 'packages/sdk/src/openapi.ts')).toEqual([]);
});

longTest('the console is built in its image', async () => {
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const [, command = ''] = /^RUN node (scripts\/console\/\S+ \S+)$/m.exec(dockerfile) ?? [];
  await promisify(execFile)(process.execPath, command.split(' '), { cwd: folder });
  const built = path.join(folder, 'console/dist');
  expect(existsSync(path.join(built, 'index.html'))).toBe(true);
  expect(readdirSync(path.join(built, 'assets')).length).toBeGreaterThan(100);
});
