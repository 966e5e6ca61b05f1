import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { addMigration } from '../../scripts/migration/add-migration.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What the image has, beside the packages and the console. */
const FOLDERS = [
  'activities',
  'api',
  'builtin',
  'db',
  'definition-files',
  'domain',
  'files',
  'telemetry',
  'worker',
  'workflows',
];
const PARTS = ['package.json', 'package-lock.json', ...FOLDERS];

/** A version that follows this one: it has a migration, and workflows that take a further step behind a patch. */
export interface NextVersion {
  readonly folder: string;
  remove(): void;
}

/** Makes a copy of this checkout that is the next version. */
export function makeNextVersion(): NextVersion {
  const folder = mkdtempSync(join(tmpdir(), 'everturn-next-'));
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const file = addMigration(join(folder, 'db/migrations'), 'next-version', new Date());
  appendFileSync(file, "alter table chats add column of_next_version text not null default '';\n");
  const replace = (path: string, changes: readonly (readonly [string, string])[]) => {
    let text = readFileSync(join(folder, path), 'utf8');
    for (const [from, to] of changes) {
      if (!text.includes(from)) throw new Error(`${path} lacks ${from}`);
      text = text.replace(from, to);
    }
    writeFileSync(join(folder, path), text);
  };
  const step = "if (patched('step-of-next-version')) await sleep(1);";
  replace('workflows/turns/drive-turn.ts', [
    ['  condition,\n', '  condition,\n  patched,\n'],
    ['    const { hasMore, next } = await runTurn(', `    ${step}\n    const { hasMore, next } = await runTurn(`],
  ]);
  replace('workflows/follow-row.ts', [
    ['  condition,\n', '  condition,\n  patched,\n  sleep,\n'],
    ['      const next = await ask(', `      ${step}\n      const next = await ask(`],
  ]);
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

/** Runs the migrations of a checkout, this one unless given; returns what that has printed. */
export async function runMigrations(ownerUrl: string, checkout = ROOT): Promise<string> {
  const options = { cwd: checkout, env: { PATH: process.env['PATH'], DATABASE_URL: ownerUrl } };
  const args = ['--disable-warning=ExperimentalWarning', 'db/orm/migrate.ts'];
  return (await promisify(execFile)(process.execPath, args, options)).stdout;
}
