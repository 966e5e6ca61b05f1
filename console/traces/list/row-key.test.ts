import { expect, test } from '@jest/globals';
import type { TraceRow } from '../rows/trace-rows.ts';
import { rowKey } from './trace-list.tsx';

const row = (id: string, depth: number, isOpen?: boolean): TraceRow => ({
  kind: 'group',
  id,
  depth,
  position: 1,
  of: 1,
  isOpen,
  steps: [],
});
const rows = [row('a', 0, true), row('b', 1), row('c', 1, false), row('d', 0)];

test.each([
  ['ArrowDown', 0, { to: 1 }],
  ['ArrowDown', -1, { to: 0 }],
  ['ArrowUp', 1, { to: 0 }],
  ['ArrowRight', 0, { to: 1 }],
  ['ArrowRight', 2, { toggle: 'c' }],
  ['ArrowRight', 3, undefined],
  ['ArrowLeft', 0, { toggle: 'a' }],
  ['ArrowLeft', 2, { to: 0 }],
  ['ArrowLeft', 3, undefined],
  ['Enter', 2, { toggle: 'c' }],
  ['Enter', 1, { to: 1 }],
  ['Home', 2, { to: 0 }],
  ['End', 0, { to: 3 }],
  ['x', 0, undefined],
])('%s at row %i does %j', (key, at, move) => {
  expect(rowKey(key, rows, at)).toEqual(move);
});
