import type { components } from '../../openapi.ts';

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
