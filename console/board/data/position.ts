import { generateKeyBetween } from 'fractional-indexing';
import { type BoardTask, byPosition } from './board-state.ts';

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
