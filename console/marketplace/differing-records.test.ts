import { expect, test } from '@jest/globals';
import { differingRecords } from './item-page.tsx';

test('files are put together by their records, with those that were not compared at the end', () => {
  const file = (kind: 'skill' | 'tool', path: string, isForeign = false) => ({
    kind,
    key: 'review',
    path,
    is_foreign: isForeign,
    difference: '',
    note: null,
  });
  const files = [file('skill', 'SKILL.md'), file('tool', 'tool.json', true), file('skill', 'more.md')];
  const found = differingRecords({
    slug: 'reviewer',
    version: '1.0.0',
    files,
    uncompared: [{ kind: 'persona', key: 'calm' }],
  });
  expect(found.map(({ kind, isForeign, files: own }) => [kind, isForeign, own.map(({ path }) => path)])).toEqual([
    ['skill', false, ['SKILL.md', 'more.md']],
    ['tool', true, ['tool.json']],
    ['persona', false, []],
  ]);
});
