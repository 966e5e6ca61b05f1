import type { ChatReader } from '../../db/chats/index.ts';
import type { BoardTask, ChangedTask } from '../../db/tasks/index.ts';

/** A viewer of a project's board. The methods must return at once and must not throw. */
export interface BoardViewer {
  readonly reader: ChatReader;
  /** Shows a task that was added or has changed, moves among it. */
  onTask(task: BoardTask): void;
  /** Takes a task off the board. */
  onRemoved(taskId: string): void;
  /** Shows the whole board again: tasks may have come or gone unseen. */
  onStale(): void;
}

/** The watched boards of this process. */
export interface BoardSubscriptions {
  /** Shows the viewer what changes on the board of a project from now on, until the returned function is called. */
  subscribe(projectId: string, viewer: BoardViewer): () => void;
}

/** Returns whether somebody may see a task of another reader's or their own chat. */
export function sees(reader: ChatReader, { ownerId, isShared }: Pick<ChangedTask, 'ownerId' | 'isShared'>): boolean {
  return ownerId === reader.userId || (isShared && reader.seesShared);
}
