import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CODE, runTool, type ToolName, tools } from '../../scripts/check/tools.ts';
import { ASSERTED_TIMES } from './asserted-times.ts';
import { REFUSED_NAMES } from './refused-names.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** What the tools are told by: their settings, and the linter's own rules. */
const SETTINGS = [
  '.dependency-cruiser.mjs',
  '.gitignore',
  '.oxfmtrc.json',
  '.oxlintrc.json',
  'console/tsconfig.json',
  'knip.json',
  'package.json',
  'packages/sdk/tsconfig.json',
  'scripts/check/lint',
  'tsconfig.json',
];
/** What the tools that compare generated files with the product load, and those files. */
const PRODUCT = [
  'activities',
  'api',
  'builtin',
  'db',
  'definition-files',
  'domain',
  'files',
  'package.json',
  'workflows',
];
/** The tools' commands. By default the linter's output depends on the terminal and on who runs it. */
const COMMANDS = { ...tools, lint: [...tools.lint, '--format=unix'] } as const;
/** The tools that compare generated files with the product. */
const COMPARES_FILES: ReadonlySet<ToolName> = new Set(['tool files']);
const TOOL_FILE = 'builtin/tools/time_now/tool.json';

/** For each tool the files that break what it guards, and what it says of each, or the parts of that line. */
const broken: readonly { tool: ToolName; file: string; content: string; complaint: string | readonly string[] }[] = [
  {
    tool: 'format',
    file: 'domain/core/ill-formatted.ts',
    content: 'export   const a=1',
    complaint: 'ill-formatted.ts',
  },
  {
    tool: 'lint',
    file: 'domain/core/floating-promise.ts',
    content: 'async function f() {}\nexport function g() {\n  f();\n}\n',
    complaint: 'no-floating-promises',
  },
  ...Object.entries(ASSERTED_TIMES).flatMap(([message, contents], kind) =>
    contents.map((content, at) => {
      const file = `domain/core/asserted-time-${kind}-${at}.test.ts`;
      return { tool: 'lint', file, content: `${content}\n`, complaint: [`${file}:`, `: ${message} [`] } as const;
    }),
  ),
  ...Object.entries(REFUSED_NAMES).flatMap(([word, contents]) =>
    contents.map((content, at) => {
      const file = `domain/core/refused-name-${word}-${at}.ts`;
      return { tool: 'lint', file, content: `${content}\n`, complaint: [`${file}:`, 'A name does not say'] } as const;
    }),
  ),
  {
    tool: 'types',
    file: 'domain/core/ill-typed.ts',
    content: "export const a: number = 'b';\n",
    complaint: 'ill-typed.ts(1,14): error TS2322',
  },
  {
    tool: 'types of the console',
    file: 'console/core/ill-typed.tsx',
    content: 'export const sample = <p hidden="no">text</p>;\n',
    complaint: 'ill-typed.tsx(1,26): error TS2322',
  },
  {
    tool: 'types of the sdk',
    file: 'packages/sdk/src/ill-typed.ts',
    content: 'export const folder = process.cwd();\n',
    complaint: 'ill-typed.ts(1,23): error TS2591',
  },
  {
    tool: 'structure',
    file: 'domain/core/imports-db.ts',
    content: "export { connectDatabase } from '../../db/orm/connect.ts';\n",
    complaint: 'domain-imports: domain/core/imports-db.ts',
  },
  {
    tool: 'structure',
    file: 'workflows/turns/reads-files.ts',
    content: "import { readFileSync } from 'node:fs';\nexport const a = readFileSync;\n",
    complaint: 'workflows-libraries: workflows/turns/reads-files.ts',
  },
  {
    tool: 'structure',
    file: 'workflows/turns/past-the-contract.ts',
    content: "export { agentWorkflowRun } from '../due-work/follow-row.ts';\n",
    complaint: 'sibling-through-contract: workflows/turns/past-the-contract.ts',
  },
  {
    tool: 'structure',
    file: 'files/imports-api.ts',
    content: "export { chatRoutes } from '../api/chats/routes.ts';\n",
    complaint: 'files-imports: files/imports-api.ts',
  },
  {
    tool: 'structure',
    file: 'activities/turns/unguarded.ts',
    content: "export { fetch } from 'undici';\n",
    complaint: 'one-way-out: activities/turns/unguarded.ts',
  },
  {
    tool: 'structure',
    file: 'activities/tools/builtin/utility/imports-db.ts',
    content: "export { addMemory } from '../../../../db/memories.ts';\n",
    complaint: 'tools-reach-nothing-themselves: activities/tools/builtin/utility/imports-db.ts',
  },
  {
    tool: 'structure',
    file: 'activities/tools/builtin/utility/reads-files.ts',
    content: "import { readFileSync } from 'node:fs';\nexport const a = readFileSync;\n",
    complaint: 'tools-reach-nothing-themselves: activities/tools/builtin/utility/reads-files.ts',
  },
  {
    tool: 'structure',
    file: 'activities/tools/operations/imports-builtin.ts',
    content: "export { addressLabel } from '../builtin/web/address-label.ts';\n",
    complaint: 'context-knows-no-builtin-tool: activities/tools/operations/imports-builtin.ts',
  },
  {
    tool: 'structure',
    file: 'activities/mcp-servers/spawns.ts',
    content: "import { spawn } from 'node:child_process';\nexport const a = spawn;\n",
    complaint: 'one-launcher: activities/mcp-servers/spawns.ts',
  },
  { tool: 'dead code', file: 'domain/core/unused.ts', content: 'export const unused = 1;\n', complaint: 'unused.ts' },
  {
    tool: 'tool files',
    file: TOOL_FILE,
    content: `${readFileSync(join(root, TOOL_FILE), 'utf8')}\n`,
    complaint: 'time_now/tool.json is out of date: npm run tools',
  },
];

const names = Object.keys(tools) as ToolName[];

function folderWith(paths: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'everturn-check-'));
  for (const path of paths) cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function write(folder: string, file: string, content: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), content);
}

/** Writes empty modules in the place of those of ours that a file imports. */
function writeImported(folder: string, file: string, content: string): void {
  for (const [, path = ''] of content.matchAll(/from '(\.[^']+)'/g)) {
    const imported = join(dirname(file), path);
    if (!existsSync(join(folder, imported))) write(folder, imported, 'export {};\n');
  }
}

describe('npm run check, where every rule is broken once', () => {
  // The repository itself takes the tools minutes. That it is in order `npm run check` says.
  let small: string;
  let product: string;
  beforeAll(() => {
    small = folderWith(SETTINGS);
    product = folderWith(PRODUCT);
    for (const folder of CODE) mkdirSync(join(small, folder), { recursive: true });
    for (const { tool, file, content } of broken) {
      const folder = COMPARES_FILES.has(tool) ? product : small;
      write(folder, file, content);
      writeImported(folder, file, content);
    }
  });
  afterAll(() => [small, product].forEach((folder) => rmSync(folder, { recursive: true, force: true })));

  test.each(names)('complains of each that is its own (%s)', async (tool) => {
    const { passed, output } = await runTool(COMMANDS[tool], COMPARES_FILES.has(tool) ? product : small);
    expect(passed).toBe(false);
    const violations = broken.filter((violation) => violation.tool === tool);
    expect(violations).not.toEqual([]);
    const lines = output.split('\n');
    const isFound = (parts: readonly string[]) => lines.some((line) => parts.every((part) => line.includes(part)));
    expect(violations.filter(({ complaint }) => !isFound([complaint].flat()))).toEqual([]);
  });
});
