import { expect, test } from '@jest/globals';
import {
  type Direction,
  indexBy,
  neighbourOf,
  type Position,
  positionBeside,
  positionOf,
  withCardAt,
} from './columns.ts';

const card = (id: string, status: string) => ({ id, status, title: id });
const columnOf = (key: string, ...ids: string[]) => {
  const cards = ids.map((id) => card(id, key));
  return { key, title: key, cards, total: cards.length };
};
const COLUMNS = [columnOf('todo', 'a', 'b', 'c'), columnOf('doing'), columnOf('done', 'd', 'e')];
const idsOf = (columns: typeof COLUMNS) => columns.map(({ cards }) => cards.map(({ id }) => id).join(''));

test.each<[string, Direction, string | undefined]>([
  ['b', 'up', 'a'],
  ['b', 'down', 'c'],
  ['a', 'up', undefined],
  ['c', 'right', 'e'],
  ['e', 'left', 'b'],
  ['a', 'left', undefined],
  ['b', 'first', 'a'],
  ['b', 'last', 'c'],
])('from %s the way %s leads to %s, past columns without cards', (from, direction, to) => {
  expect(neighbourOf(COLUMNS, from, direction)?.id).toBe(to);
});

test('a card is found where it stands, and put elsewhere', () => {
  expect(positionOf(COLUMNS, 'e')).toEqual({ column: 'done', index: 1 });
  expect(positionOf(COLUMNS, 'z')).toBe(undefined);
  expect(idsOf(withCardAt(COLUMNS, 'b', { column: 'doing', index: 0 }) as typeof COLUMNS)).toEqual(['ac', 'b', 'de']);
  expect(idsOf(withCardAt(COLUMNS, 'a', { column: 'todo', index: 2 }) as typeof COLUMNS)).toEqual(['bca', '', 'de']);
});

test.each<[Position, Direction, Position]>([
  [{ column: 'todo', index: 1 }, 'right', { column: 'doing', index: 0 }],
  [{ column: 'doing', index: 0 }, 'right', { column: 'done', index: 0 }],
  [{ column: 'todo', index: 0 }, 'up', { column: 'todo', index: 0 }],
  [{ column: 'todo', index: 2 }, 'down', { column: 'todo', index: 2 }],
  [{ column: 'todo', index: 0 }, 'last', { column: 'todo', index: 2 }],
  [{ column: 'todo', index: 0 }, 'left', { column: 'todo', index: 0 }],
])('a lifted card at %j goes %s to %j', (from, direction, to) => {
  expect(positionBeside(COLUMNS, card('b', 'todo'), from, direction)).toEqual(to);
});

test('where cards have an order of their own, a lifted card stands where that puts it', () => {
  const byId = (one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id);
  const from = { column: 'doing', index: 0 };
  expect(positionBeside(COLUMNS, card('dd', 'doing'), from, 'right', byId)).toEqual({ column: 'done', index: 1 });
  expect(indexBy([card('a', ''), card('c', '')], card('b', ''), byId)).toBe(1);
});
