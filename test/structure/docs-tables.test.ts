import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { BUILTIN_TOOLS } from '../../activities/tools/builtin/index.ts';
import { INTEGRATION_KIND_KEYS } from '../../domain/integrations/kinds/index.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Returns the tables of a page of Markdown, each as the first cells of its rows, the head first. */
function tablesOf(page: string): string[][] {
  const tables: string[][] = [];
  let isInside = false;
  for (const line of readFileSync(join(root, page), 'utf8').split('\n')) {
    const isRow = line.startsWith('| ');
    if (isRow && !isInside) tables.push([]);
    if (isRow) tables.at(-1)?.push(line.split('|')[1]?.trim() ?? '');
    isInside = isRow;
  }
  return tables;
}

/** Returns the keys in backticks of the table of a page whose head is `head`, sorted. */
function keysOf(page: string, head: string): string[] {
  const table = tablesOf(page).find(([first]) => first === head) ?? [];
  return table.flatMap((cell) => /^`(?<key>\w+)`$/.exec(cell)?.groups?.['key'] ?? []).toSorted();
}

describe('tables of the documentation', () => {
  const pages = globSync('docs/**/*.md', { cwd: root });

  test.each(pages)('%s names the subject of each row once', (page) => {
    const repeated = tablesOf(page).flatMap((cells) =>
      cells.filter((cell, at) => cell !== '' && cells.indexOf(cell) < at),
    );
    expect(repeated).toEqual([]);
  });

  test('one row says what each builtin tool does', () => {
    expect(keysOf('docs/tools.md', 'Key')).toEqual(BUILTIN_TOOLS.map(({ key }) => key).toSorted());
  });

  test('one row says what each kind of integrations asks for', () => {
    expect(keysOf('docs/integrations.md', 'Kind')).toEqual([...INTEGRATION_KIND_KEYS].toSorted());
  });
});
