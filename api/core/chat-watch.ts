import type { EndedTurn } from '../../db/turns/index.ts';

/** How far a viewer has been shown a turn's answer. */
export interface CursorPosition {
  readonly turnId: string;
  /** UTF-16 code units shown. */
  readonly length: number;
  /** CRC-32 of what was shown, to recognise it in another attempt's text. */
  readonly crc: number;
}

/** Somebody who watches a chat. Both calls must return at once and must not throw. */
export interface Viewer {
  /** The next part of the answer; `position` is where the viewer stands then. */
  onChunk(text: string, position: CursorPosition): void;
  /** The turn has ended; called once a turn, in the order of the turns. */
  onEnd(turn: EndedTurn): void;
}

/** The chats of this process that can be watched while they are answered. */
export interface ChatWatch {
  /**
   * Shows the viewer the running turn of a chat, and all that follow, until the answered function is called. Everything
   * that happens after this has resolved is shown.
   */
  watch(place: { orgId: string; chatId: string }, viewer: Viewer, resumeFrom?: CursorPosition): Promise<() => void>;
}
