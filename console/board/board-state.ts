import { generateKeyBetween } from 'fractional-indexing';
import type { components } from '../openapi.ts';

export type TaskBoard = components['schemas']['Board'];
export type BoardTask = components['schemas']['BoardTask'];

/** Returns a board on which a task is as it is now, at its place, and nowhere else. */
export function withTask(board: TaskBoard, task: BoardTask): TaskBoard {
  const rest = withoutTask(board, task.id);
  const columns = rest.columns.map((column) =>
    column.status === task.status
      ? { ...column, tasks: [...column.tasks, task].toSorted(byPosition), total: column.total + 1 }
      : column,
  );
  return { ...rest, columns };
}

/** Returns a board without a task. */
export function withoutTask(board: TaskBoard, taskId: string): TaskBoard {
  const columns = board.columns.map((column) => {
    const tasks = column.tasks.filter(({ id }) => id !== taskId);
    return tasks.length === column.tasks.length ? column : { ...column, tasks, total: column.total - 1 };
  });
  return { ...board, columns };
}

/** Compares the places of two tasks, character by character as the server does. */
export function byPosition(one: Pick<BoardTask, 'position'>, other: Pick<BoardTask, 'position'>): number {
  if (one.position === other.position) return 0;
  return one.position < other.position ? -1 : 1;
}

/**
 * Returns the position that puts a task at a place among the shown cards of a column: right behind the card before it,
 * however many lie between the two that are shown. `index` counts the shown cards without the task itself.
 */
export function positionAt(
  column: readonly BoardTask[],
  shown: readonly BoardTask[],
  moved: Pick<BoardTask, 'id'>,
  index: number,
): string {
  const all = column.filter(({ id }) => id !== moved.id).toSorted(byPosition);
  const visible = shown.filter(({ id }) => id !== moved.id);
  const [before, first] = [visible[Math.min(index, visible.length) - 1], visible[0]];
  if (before !== undefined) return between(before, all[indexOf(all, before) + 1]);
  if (first !== undefined) return between(all[indexOf(all, first) - 1], first);
  return between(all.at(-1), undefined);
}

function between(before: BoardTask | undefined, after: BoardTask | undefined): string {
  return generateKeyBetween(before?.position ?? null, after?.position ?? null);
}

function indexOf(all: readonly BoardTask[], task: BoardTask): number {
  return all.findIndex(({ id }) => id === task.id);
}
