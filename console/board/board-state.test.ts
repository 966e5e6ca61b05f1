import { expect, test } from '@jest/globals';
import { type BoardTask, type TaskBoard, positionAt, withoutTask, withTask } from './board-state.ts';

const TIME = '2026-11-22T09:30:00.000Z';

function task(id: string, status: BoardTask['status'], position: string): BoardTask {
  const none = { assigned_agent_id: null, sub_chat_id: null, issue_id: null, parent_task_id: null };
  const rest = { priority: 'medium' as const, waits_for: [], attempts: 0, created_at: TIME, updated_at: TIME };
  return { id, chat_id: 'c', title: id, status, position, ...none, ...rest };
}

const [first, second, third] = [task('1', 'pending', 'a0'), task('2', 'pending', 'a1'), task('3', 'pending', 'a2')];
const BOARD: TaskBoard = {
  project_id: 'p',
  columns: [
    { status: 'pending', tasks: [first, second, third], total: 1_200 },
    { status: 'in_progress', tasks: [], total: 0 },
  ],
};
const shapeOf = ({ columns }: TaskBoard) =>
  columns.map(({ tasks, total }) => [tasks.map(({ id }) => id).join(''), total] as const);

test('a task that has changed stands at its place, once, also when that is told twice', () => {
  const moved = withTask(withTask(BOARD, task('1', 'pending', 'a1V')), task('1', 'pending', 'a1V'));
  expect(shapeOf(moved)).toEqual([
    ['213', 1_200],
    ['', 0],
  ]);
  expect(shapeOf(withTask(BOARD, task('2', 'in_progress', 'a1')))).toEqual([
    ['13', 1_199],
    ['2', 1],
  ]);
  expect(shapeOf(withTask(BOARD, task('4', 'pending', 'Zz')))).toEqual([
    ['4123', 1_201],
    ['', 0],
  ]);
});

test('a task that is gone is counted no more, and one that was not shown changes nothing', () => {
  expect(shapeOf(withoutTask(BOARD, '3'))).toEqual([
    ['12', 1_199],
    ['', 0],
  ]);
  expect(shapeOf(withoutTask(BOARD, 'x'))).toEqual([
    ['123', 1_200],
    ['', 0],
  ]);
});

test('a card goes right behind the shown one before it, whatever a filter hides between', () => {
  const column = [first, second, third];
  const isBetween = (position: string, low: string, high: string) => position > low && position < high;
  expect(isBetween(positionAt(column, [first, third], task('9', 'failed', 'a5'), 1), 'a0', 'a1')).toBe(true);
  expect(positionAt(column, [second, third], task('9', 'failed', 'a5'), 0) > 'a0').toBe(true);
  expect(positionAt(column, column, first, 2) > 'a2').toBe(true);
  expect(positionAt(column, column, third, 0) < 'a0').toBe(true);
  expect(positionAt(column, [], task('9', 'failed', 'a5'), 0) > 'a2').toBe(true);
  expect(positionAt([], [], first, 0)).toBe('a0');
});
