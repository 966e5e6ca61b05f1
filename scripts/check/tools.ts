import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folders with code. */
export const CODE = [
  'api',
  'telemetry',
  'files',
  'activities',
  'workflows',
  'worker',
  'operator',
  'db',
  'domain',
  'definition-files',
  'builtin',
  'scripts',
  'bench',
  'chaos',
  'console',
  'packages',
  'test',
];

/** The tools that every change has to pass: the script of each and its arguments. */
export const tools = {
  format: ['node_modules/oxfmt/bin/oxfmt', '--check', '.'],
  lint: ['node_modules/oxlint/bin/oxlint', '--deny-warnings'],
  types: ['node_modules/typescript/bin/tsc', '-p', '.'],
  'types of the console': ['node_modules/typescript/bin/tsc', '-p', 'console', '--noEmit'],
  'types of the sdk': ['node_modules/typescript/bin/tsc', '-p', 'packages/sdk', '--noEmit'],
  structure: [
    'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
    '--config',
    '.dependency-cruiser.mjs',
    ...CODE,
  ],
  'dead code': ['node_modules/knip/bin/knip.js'],
  'tool files': ['activities/tools/definition-files/write-definition-files.ts', '--check'],
} as const satisfies Record<string, readonly [string, ...string[]]>;

export type ToolName = keyof typeof tools;

/** Writes the types of the api, which tools read with the console and the SDK. */
export const WRITE_TYPES = ['scripts/console/write-types.ts'] as const;

/** The output of a tool, and whether it passed. */
export interface ToolReport {
  readonly passed: boolean;
  readonly output: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a tool's script over a checkout, with this process's Node and the tools of that checkout. */
export async function runTool(
  [script, ...args]: readonly [string, ...string[]],
  folder: string = root,
): Promise<ToolReport> {
  const child = spawn(process.execPath, [join(folder, script), ...args], { cwd: folder });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const passed = await new Promise<boolean>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0));
  });
  return { passed, output };
}
