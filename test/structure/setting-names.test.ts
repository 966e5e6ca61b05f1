import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { parseSync } from '@swc/core';
import { apiSettings, workerSettings } from '../../domain/settings/settings.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const names = Object.keys({ ...apiSettings.shape, ...workerSettings.shape });
const isLong = (name: string) => name.includes('_');
/** Those of one word may mean something else, unless a value is set. */
const NAME = new RegExp(
  String.raw`\b(?:${names.filter(isLong).join('|')})\b|\b(?:${names.filter((name) => !isLong(name)).join('|')})=`,
);

/** What only the operator reads: at the start of a process, in its log, and who calls the server by another name. */
const OF_OPERATORS: ReadonlySet<string> = new Set([
  'api/access/origins.ts',
  'api/marketplace/index-routes.ts',
  'api/mcp-endpoint/routes.ts',
  'api/pages.ts',
  'domain/settings/public-url.ts',
  'api/server.ts',
  'db/core/secret-box.ts',
  'db/migrations/pending-migrations.ts',
  'domain/settings/temporal-connection.ts',
  'workflows/housekeeping/client.ts',
]);

/** Returns the texts of a source, with the parts of templates, that name a setting. */
function textsOf(source: string, file = ''): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, value, raw } = node as Record<string, unknown>;
    if (type === 'StringLiteral' || type === 'JSXText') found.push(String(value));
    if (type === 'TemplateElement') found.push(String(raw));
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseSync(source, { syntax: 'typescript', tsx: file.endsWith('x'), target: 'es2024' }).body);
  return found.filter((text) => NAME.test(text));
}

test('texts that people read name no settings', () => {
  const files = globSync('{activities,api,console,db,domain,files,workflows}/**/*.{ts,tsx}', { cwd: root });
  const named = files
    .filter((file) => !/\.test\.tsx?$/.test(file) && !file.startsWith('console/dist') && !OF_OPERATORS.has(file))
    .flatMap((file) => textsOf(readFileSync(join(root, file), 'utf8'), file).map((text) => `${file}: ${text}`));
  expect(named).toEqual([]);
});

test('such a text is found', () => {
  expect(textsOf('const said = `allow it with ALLOW_PRIVATE_HOSTS=${host}`;')).toEqual([
    'allow it with ALLOW_PRIVATE_HOSTS=',
  ]);
  expect(textsOf("throw new Error('it is off (CLI_PROVIDERS)');")).toHaveLength(1);
  expect(textsOf("throw new Error('SANDBOX=off');")).toEqual(['SANDBOX=off']);
  expect(textsOf("throw new Error('the SANDBOX is off');")).toEqual([]);
  expect(textsOf('const page = <p>Set PUBLIC_URL, or PORT=80</p>;', 'page.tsx')).toEqual([
    'Set PUBLIC_URL, or PORT=80',
  ]);
});
