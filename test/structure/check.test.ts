import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runTool, type ToolName, tools } from '../../scripts/check/tools.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const NOT_COPIED = new Set(['node_modules', '.git', '.everturn', 'coverage']);
/** Far beyond what the slowest tool takes on a busy machine. */
const TOOL_TIMEOUT_MS = 600_000;
const TOOL_FILE = 'builtin/tools/time_now/tool.json';
const TYPES_FILE = 'console/openapi.ts';

/** For each tool the files that break what it guards, and what it says of each. */
const broken: readonly { tool: ToolName; file: string; content: string; complaint: string }[] = [
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
  {
    tool: 'lint',
    file: 'domain/core/compares-times.test.ts',
    content: 'const begun = Date.now();\nconst ms = Date.now() - begun;\nexpect(ms).toBeLessThan(50);\n',
    complaint: 'A test does not compare times',
  },
  {
    tool: 'lint',
    file: 'domain/core/sleeps.test.ts',
    content: 'await new Promise((resolve) => setTimeout(resolve, 50));\n',
    complaint: 'A test does not sleep',
  },
  {
    tool: 'lint',
    file: 'domain/core/short-limit.test.ts',
    content: 'const LIMIT_MS = 5_000;\ntest.each([1])("is quick (%i)", () => undefined, LIMIT_MS);\n',
    complaint: 'A limit below 30 s',
  },
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
    tool: 'structure',
    file: 'domain/core/imports-db.ts',
    content: "export { connectDatabase } from '../../db/core/index.ts';\n",
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
    file: 'api/chats/past-the-index.ts',
    content: "export { authRoutes } from '../auth/routes.ts';\n",
    complaint: 'sibling-through-index: api/chats/past-the-index.ts',
  },
  {
    tool: 'structure',
    file: 'files/imports-api.ts',
    content: "export { chatRoutes } from '../api/chats/index.ts';\n",
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
    content: "export { addMemory } from '../../../../db/memories/index.ts';\n",
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
  {
    tool: 'api types',
    file: TYPES_FILE,
    content: `${readFileSync(join(root, TYPES_FILE), 'utf8')}\n`,
    complaint: 'npm run types',
  },
];

/** How each tool complains: of a file, unless it is in `broken`, the repository is at fault. */
const COMPLAINTS: Readonly<Record<ToolName, RegExp>> = {
  format: /\(\d+ms\)$/,
  lint: /\[.+:\d+:\d+\]/,
  types: /: error TS\d+/,
  'types of the console': /: error TS\d+/,
  structure: /^ *(?:error|warn) /,
  // A file of the list of unused ones, or the title of another list.
  'dead code': /^\S+ *$|^(?!Unused files|Configuration hints).+ \(\d+\)$/,
  'tool files': /out of date/,
  'api types': /npm run types/,
};

const names = Object.keys(tools) as ToolName[];

describe('npm run check, on a copy of the repository in which every rule is broken once', () => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'everturn-check-'));
    cpSync(root, copy, {
      recursive: true,
      filter: (path) => !NOT_COPIED.has(path.slice(root.length).split('/')[0] ?? ''),
    });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (const { file, content } of broken) writeFileSync(join(copy, file), content);
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  test.each(names)(
    'complains of each of its own, and of nothing else: the repository is in order (%s)',
    async (tool) => {
      const { passed, output } = await runTool(tool, copy);
      expect(passed).toBe(false);
      const violations = broken.filter((violation) => violation.tool === tool);
      expect(violations).not.toEqual([]);
      expect(violations.filter(({ complaint }) => !output.includes(complaint))).toEqual([]);
      const others = output.split('\n').filter((line) => !broken.some(({ file }) => line.includes(file)));
      expect(others.filter((line) => COMPLAINTS[tool].test(line))).toEqual([]);
    },
    TOOL_TIMEOUT_MS,
  );

  // What it looks at is one of the broken files.
  test('is content with the types of the api', async () => {
    const { passed, output } = await runTool('api types');
    expect(passed ? '' : output).toBe('');
  });
});
