import { describe, expect, test } from '@jest/globals';
import { isGranted, matrixRows, needsAdvancedMode, toggle } from './matrix.tsx';
import type { CatalogEntry } from './queries.ts';

const catalog: CatalogEntry[] = [
  { key: 'agents.view', area: 'agents', label: 'Agents: view', implies: [], reserved: false },
  { key: 'agents.manage', area: 'agents', label: 'Agents: view and change', implies: ['agents.view'], reserved: false },
  { key: 'chats.view_shared', area: 'chats', label: 'See shared chats', implies: [], reserved: false },
];
const [agents = { label: '' }, shared = { label: '' }] = matrixRows(catalog);

describe('matrixRows', () => {
  test('has a line for each area, and one for each right that stands by itself', () => {
    expect(matrixRows(catalog)).toEqual([
      { label: 'Agents', view: 'agents.view', manage: 'agents.manage' },
      { label: 'See shared chats', view: 'chats.view_shared' },
    ]);
  });
});

describe('toggle', () => {
  test('ticks the view with the change, and leaves it when the change is taken away', () => {
    const both = toggle(['tools.view'], agents, 'manage');
    expect(both).toEqual(['tools.view', 'agents.view', 'agents.manage']);
    expect(toggle(both, agents, 'manage')).toEqual(['tools.view', 'agents.view']);
  });

  test('takes the change away with the view', () => {
    expect(toggle(['agents.manage'], agents, 'view')).toEqual([]);
  });

  test('turns a right that stands by itself on and off', () => {
    expect(toggle(toggle([], shared, 'view'), shared, 'view')).toEqual([]);
  });
});

test.each([
  [['agents.manage'], 'view', true],
  [['agents.view'], 'manage', false],
  [[], 'view', false],
] as const)('keys %j grant the right to %s: %s', (keys, right, isOn) => {
  expect(isGranted(keys, agents, right)).toBe(isOn);
});

test('a group whose areas are shown in advanced mode only is told apart', () => {
  const rows = matrixRows([
    ...catalog,
    { key: 'ui.advanced_mode', area: 'ui', label: 'Advanced mode', implies: [], reserved: false },
  ]);
  expect(needsAdvancedMode(rows, ['agents.view'])).toBe(true);
  expect(needsAdvancedMode(rows, ['agents.view', 'ui.advanced_mode'])).toBe(false);
  expect(needsAdvancedMode(rows, ['chats.view_shared'])).toBe(false);
});
