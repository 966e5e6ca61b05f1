import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { registerUser } from '../support/factories.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

let instance: TestInstance;
let project: string;
beforeAll(async () => {
  instance = await startTestInstance();
  project = await mkdtemp(join(tmpdir(), 'everturn-sdk-'));
  await run('npm', ['run', 'sdk', '--', '--pack-destination', project], { cwd: root });
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const packed = (await readdir(project)).filter((name) => name.endsWith('.tgz'));
  await run('npm', ['install', '--offline', '--no-audit', ...packed.map((name) => `./${name}`)], { cwd: project });
});
afterAll(async () => {
  await instance.close();
  await rm(project, { recursive: true });
});

/** Returns the examples of a page as one program. */
function examplesOf(page: string): string {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n(?<code>[^]*?)^```$/gm);
  return [...blocks].map(({ groups }) => groups?.['code']).join('\n');
}

test('the package holds what is needed to use it, and brings nothing else along', async () => {
  const folder = join(project, 'node_modules/@everturn/sdk');
  expect(await readdir(join(project, 'node_modules/@everturn'))).toEqual(['sdk']);
  expect((await readdir(folder)).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  const files = await readdir(join(folder, 'dist'));
  expect(files).toEqual(expect.arrayContaining(['index.js', 'index.d.ts', 'openapi.d.ts']));
  expect(files.filter((name) => name.includes('test'))).toEqual([]);
});

test('the examples of its pages are well-typed where it is installed, and the one of its README runs', async () => {
  const example = examplesOf('packages/sdk/README.md');
  await writeFile(join(project, 'example.ts'), example);
  await writeFile(join(project, 'example.js'), example);
  await writeFile(join(project, 'page.ts'), examplesOf('docs/sdk.md'));
  // Without types of Node: the package needs those of the web only.
  const compilerOptions = { module: 'nodenext', target: 'es2022', strict: true, noEmit: true, types: [] };
  const settings = { compilerOptions, files: ['example.ts', 'page.ts'] };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(settings));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const checked = run(process.execPath, [compiler, '--project', project]).catch(({ stdout }) => ({ stdout }));
  expect((await checked).stdout).toBe('');

  const user = await registerUser(instance.api.url);
  const key = await user.client.post<{ key: string }>('/api/users/me/api-keys', { name: 'SDK' });
  const env = { PATH: process.env['PATH'], EVERTURN_URL: instance.api.url, EVERTURN_API_KEY: key.json.key };
  // The Node of whoever runs the tests, which may be older than that of the service.
  const node = process.env['npm_node_execpath'] ?? process.execPath;
  const { stdout } = await run(node, ['example.js'], { cwd: project, env });
  expect(stdout).toContain('demo model');
});
