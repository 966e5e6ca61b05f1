import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { z } from 'zod';
import { BUILTIN_TOOLS } from '../../activities/tools/builtin/index.ts';
import { INTEGRATION_KIND_KEYS } from '../../domain/integrations/kinds/index.ts';
import { apiSettings, workerSettings } from '../../domain/settings/settings.ts';
import { startSettings } from '../../scripts/stack/env.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Returns the tables of a page of Markdown, each as the first two cells of its rows, the head first. */
function tablesOf(page: string): [string, string][][] {
  const tables: [string, string][][] = [];
  let isInside = false;
  for (const line of readFileSync(join(root, page), 'utf8').split('\n')) {
    const isRow = line.startsWith('| ');
    if (isRow && !isInside) tables.push([]);
    const [, first = '', second = ''] = line.split('|').map((cell) => cell.trim());
    if (isRow) tables.at(-1)?.push([first, second]);
    isInside = isRow;
  }
  return tables;
}

const inBackticks = (cell: string) => /^`(?<text>[^`]+)`$/.exec(cell)?.groups?.['text'];

/** Returns the key in backticks and the next cell of each row in the tables of a page whose head is `head`. */
function rowsOf(page: string, head: string): [string, string][] {
  const tables = tablesOf(page).filter(([first]) => first?.[0] === head);
  return tables.flat().flatMap(([cell, next]) => {
    const key = inBackticks(cell);
    return key === undefined ? [] : [[key, next]];
  });
}

const keysOf = (page: string, head: string) =>
  rowsOf(page, head)
    .map(([key]) => key)
    .toSorted();

describe('tables of the documentation', () => {
  const pages = globSync('docs/**/*.md', { cwd: root });

  test.each(pages)('%s names the subject of each row once', (page) => {
    const repeated = tablesOf(page).flatMap((rows) => {
      const cells = rows.map(([first]) => first);
      return cells.filter((cell, at) => cell !== '' && cells.indexOf(cell) < at);
    });
    expect(repeated).toEqual([]);
  });

  test('one row says what each builtin tool does', () => {
    expect(keysOf('docs/tools.md', 'Key')).toEqual(BUILTIN_TOOLS.map(({ key }) => key).toSorted());
  });

  test('one row says what each kind of integrations asks for', () => {
    expect(keysOf('docs/integrations.md', 'Kind')).toEqual([...INTEGRATION_KIND_KEYS].toSorted());
  });

  test('one row says what each setting does', () => {
    expect(keysOf('docs/settings.md', 'Variable')).toEqual(Object.keys(startSettings.shape).toSorted());
  });

  test('a default of a setting is the one that it has', () => {
    const schemas: Readonly<Record<string, z.ZodType>> = { ...apiSettings.shape, ...workerSettings.shape };
    const defaults = rowsOf('docs/settings.md', 'Variable').flatMap(([name, cell]) => {
      const [schema, text] = [schemas[name], inBackticks(cell)];
      return schema === undefined || text === undefined ? [] : [{ name, schema, text }];
    });
    expect(defaults.length).toBeGreaterThan(20);
    const wrong = defaults.filter(
      ({ schema, text }) => !isDeepStrictEqual(schema.safeParse(text).data, schema.safeParse(undefined).data),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});
