import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { registerUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const client = join(root, 'test/generated-client');
const packages = join(root, 'node_modules');
const withTypescript5 = join(root, 'scripts/console/with-typescript-5.mjs');

/** What is not asked of the document, and why. */
const RULES = {
  // The specification sets the paths: `/orgs/invite/{token}` beside `/orgs/{org_id}/leave`. The first is no id, and
  // goes first.
  'no-ambiguous-paths': 'off',
  // The schemas of frames are used under `x-websockets`, where it does not look; openapi.test.ts looks there too.
  'no-unused-components': 'off',
  'no-invalid-schema-examples': 'error',
} as const;

const served = serveTestApi();
let document: string;
let folder: string;
beforeAll(async () => {
  document = await (await fetch(`${served.url}/openapi.json`)).text();
  folder = await mkdtemp(join(tmpdir(), 'everturn-client-'));
});
afterAll(async () => rm(folder, { recursive: true }));

/** Runs a program with this process's Node; throws what it wrote when it fails. */
async function run(...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(process.execPath, args)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${stdout}${stderr}`, { cause: error });
  }
}

test('a linter of OpenAPI documents finds no fault in /openapi.json', async () => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: RULES });
  const faults = await lintFromString({ source: document, absoluteRef: '/openapi.json', config });
  expect(faults.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

test('types are generated from /openapi.json, and a client that is written with them pages, streams and reads errors', async () => {
  const source = join(folder, 'openapi.json');
  const types = join(folder, 'everturn-api.d.ts');
  await writeFile(source, document);
  const generator = join(packages, 'openapi-typescript/bin/cli.js');
  // Fields with a default may be left out of requests.
  const flags = ['--default-non-nullable=false', '--output', types];
  await run('--import', withTypescript5, generator, source, ...flags);
  const settings = {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.asynciterable'],
      types: ['node'],
      typeRoots: [join(packages, '@types')],
      paths: { 'everturn-api': [types] },
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
    },
    files: [join(client, 'program.ts')],
  };
  const project = join(folder, 'tsconfig.json');
  await writeFile(project, JSON.stringify(settings));
  await run(join(packages, 'typescript/bin/tsc'), '--project', project);

  const user = await registerUser(served.url);
  const report: unknown = JSON.parse(await run(join(client, 'program.ts'), served.url, user.accessToken));
  expect(report).toEqual({
    agents: ['First', 'Second'],
    title: 'New Chat',
    begin: expect.stringMatching(/^began as [-0-9a-f]{36}, to be resumed after \S+$/),
    frame: 'pong',
    fault: 'query.limit: must be a whole number',
    refusal: 'Chat not found',
  });
});
