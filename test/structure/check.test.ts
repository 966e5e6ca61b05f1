import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runTool, type ToolName } from '../../scripts/check/tools.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const NOT_COPIED = new Set(['node_modules', '.git', '.everturn', 'coverage']);

/** For each tool a file that breaks what it guards, and a word of the complaint. */
const broken: readonly { tool: ToolName; file: string; content: string; complaint: string }[] = [
  { tool: 'format', file: 'domain/core/sample.ts', content: 'export   const a=1', complaint: 'sample.ts' },
  {
    tool: 'lint',
    file: 'domain/core/sample.ts',
    content: 'async function f() {}\nexport function g() {\n  f();\n}\n',
    complaint: 'no-floating-promises',
  },
  { tool: 'types', file: 'domain/core/sample.ts', content: "export const a: number = 'b';\n", complaint: 'TS2322' },
  {
    tool: 'types of the console',
    file: 'console/core/sample.tsx',
    content: 'export const sample = <p hidden="no">text</p>;\n',
    complaint: 'TS2322',
  },
  {
    tool: 'structure',
    file: 'domain/core/sample.ts',
    content: "export { connectDatabase } from '../../db/core/index.ts';\n",
    complaint: 'domain-imports',
  },
  {
    tool: 'structure',
    file: 'workflows/turns/sample.ts',
    content: "import { readFileSync } from 'node:fs';\nexport const a = readFileSync;\n",
    complaint: 'workflows-libraries',
  },
  {
    tool: 'structure',
    file: 'api/chats/sample.ts',
    content: "export { authRoutes } from '../auth/routes.ts';\n",
    complaint: 'sibling-through-index',
  },
  {
    tool: 'structure',
    file: 'start-turn/sample.ts',
    content: "export { chatRoutes } from '../api/chats/index.ts';\n",
    complaint: 'start-turn-imports',
  },
  {
    tool: 'structure',
    file: 'activities/turns/sample.ts',
    content: "export { fetch } from 'undici';\n",
    complaint: 'one-way-out',
  },
  {
    tool: 'structure',
    file: 'activities/tools/builtin/utility/sample.ts',
    content: "export { addMemory } from '../../../../db/memories/index.ts';\n",
    complaint: 'tools-reach-nothing-themselves',
  },
  {
    tool: 'structure',
    file: 'activities/tools/builtin/utility/sample.ts',
    content: "import { readFileSync } from 'node:fs';\nexport const a = readFileSync;\n",
    complaint: 'tools-reach-nothing-themselves',
  },
  {
    tool: 'structure',
    file: 'activities/tools/operations/sample.ts',
    content: "export { hostOf } from '../builtin/web/host-of.ts';\n",
    complaint: 'context-knows-no-builtin-tool',
  },
  {
    tool: 'structure',
    file: 'activities/mcp-servers/sample.ts',
    content: "import { spawn } from 'node:child_process';\nexport const a = spawn;\n",
    complaint: 'one-launcher',
  },
  { tool: 'dead code', file: 'domain/core/sample.ts', content: 'export const unused = 1;\n', complaint: 'sample.ts' },
  { tool: 'tool files', file: 'builtin/tools/time_now/tool.json', content: '{}\n', complaint: 'npm run tools' },
  { tool: 'api types', file: 'console/openapi.ts', content: 'export {};\n', complaint: 'npm run types' },
];

describe('npm run check', () => {
  test.each<ToolName>([
    'format',
    'lint',
    'types',
    'types of the console',
    'structure',
    'dead code',
    'tool files',
    'api types',
  ])(
    'is content with the repository (%s)',
    async (tool) => {
      const { passed, output } = await runTool(tool);
      expect(passed ? '' : output).toBe('');
    },
    120_000,
  );

  describe('on a copy of the repository', () => {
    let copy: string;
    beforeAll(() => {
      copy = mkdtempSync(join(tmpdir(), 'everturn-check-'));
      cpSync(root, copy, {
        recursive: true,
        filter: (path) => !NOT_COPIED.has(path.slice(root.length).split('/')[0] ?? ''),
      });
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    });
    afterAll(() => rmSync(copy, { recursive: true, force: true }));

    test.each(broken)(
      'complains when $file is broken ($tool: $complaint)',
      async ({ tool, file, content, complaint }) => {
        const path = join(copy, file);
        const former = existsSync(path) ? readFileSync(path) : undefined;
        writeFileSync(path, content);
        try {
          const { passed, output } = await runTool(tool, copy);
          expect(passed).toBe(false);
          expect(output).toContain(complaint);
        } finally {
          if (former === undefined) rmSync(path);
          else writeFileSync(path, former);
        }
      },
      120_000,
    );
  });
});
