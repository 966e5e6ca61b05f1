import type { ChatAccess, ChatReader } from '../../db/chats/chat.ts';
import type { RecordNews } from '../../db/core/after-commit.ts';
import type { BoardTask, ChangedTask } from '../../db/tasks/board.ts';
import type { EndedTurn } from '../../db/turns/progress/chat-progress.ts';
import type { StepEvent } from '../../domain/events.ts';

/** A viewer's position in a turn's answer. */
export interface CursorPosition {
  readonly turnId: string;
  /** UTF-16 code units shown. */
  readonly length: number;
  /** CRC-32 of the shown text, to recognise it in another attempt's text. */
  readonly crc: number;
}

/** A viewer of a chat. The methods must return at once and must not throw. */
export interface Viewer {
  /** Shows the next part of the answer; `position` is the viewer's new position. */
  onChunk(text: string, position: CursorPosition): void;
  /**
   * Shows the start or end of a step, of the turn's own agent or of a sub-agent below. Each is shown once, the start
   * before the end, and after the text that came before it. A viewer who joins later is shown only steps that are open.
   */
  onStep(turnId: string, step: StepEvent): void;
  /** Reports that the turn has ended; called once for each turn, in their order. */
  onEnd(turn: EndedTurn): void;
}

/** The watched chats of this process. */
export interface ChatSubscriptions {
  /**
   * Shows the viewer that `open` returns the running turn of a chat, and all that follow, until the returned function
   * is called. `open` is called once everything that happens from then on is shown; it may return none after all.
   */
  subscribe(
    ref: { orgId: string; chatId: string },
    open: () => Viewer | undefined,
    resumeFrom?: CursorPosition,
  ): Promise<() => void>;
}

/** A viewer of a project's board. The methods must return at once and must not throw. */
export interface BoardViewer {
  readonly reader: ChatReader;
  /** Shows a task that was added or has changed, moves among it. */
  onTask(task: BoardTask): void;
  /** Removes a task from the board. */
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

/** A change, and who may see the chat that it belongs to. */
export interface KnownNews {
  readonly news: RecordNews;
  readonly access: ChatAccess | undefined;
}

/** The frames of changes that are sent together: viewers of the same changes share one. */
export interface NewsFrames {
  of(news: Pick<RecordNews, 'resource' | 'id' | 'action'>): Buffer;
}

/** A member who watches an organization's changes. The methods must return at once and must not throw. */
export interface OrgViewer {
  /** Reports changes, some of which the viewer may see. */
  onNews(news: readonly KnownNews[], frames: NewsFrames): void;
  /** Reports that anything may have changed: news were lost, or there were too many. */
  onLost(): void;
}

/** The organizations whose changes this process sends to members. */
export interface OrgSubscriptions {
  /** Sends the viewer the changes in an organization from now on, until the returned function is called. */
  subscribe(orgId: string, viewer: OrgViewer): () => void;
  /**
   * Sends the viewer what has changed in an organization in the last milliseconds, or reports that anything may have.
   */
  sendRecent(orgId: string, viewer: OrgViewer, sinceMs: number): void;
}
