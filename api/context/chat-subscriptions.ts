import type { EndedTurn } from '../../db/turns/index.ts';
import type { StepEvent } from '../../domain/events/index.ts';

/** How far a viewer has been shown a turn's answer. */
export interface CursorPosition {
  readonly turnId: string;
  /** UTF-16 code units shown. */
  readonly length: number;
  /** CRC-32 of what was shown, to recognise it in another attempt's text. */
  readonly crc: number;
}

/** Somebody who watches a chat. The calls must return at once and must not throw. */
export interface Viewer {
  /** The next part of the answer; `position` is where the viewer stands then. */
  onChunk(text: string, position: CursorPosition): void;
  /**
   * A step of the turn began or ended, of its own agent or of a sub-agent below: each is told once, its start before its
   * end, and after the text that came before it. A viewer who comes later is told only of steps that are under way.
   */
  onStep(turnId: string, step: StepEvent): void;
  /** The turn has ended; called once a turn, in the order of the turns. */
  onEnd(turn: EndedTurn): void;
}

/** The chats of this process that can be watched while they are answered. */
export interface ChatSubscriptions {
  /**
   * Shows the viewer the running turn of a chat, and all that follow, until the answered function is called. Everything
   * that happens after this has resolved is shown.
   */
  subscribe(place: { orgId: string; chatId: string }, viewer: Viewer, resumeFrom?: CursorPosition): Promise<() => void>;
}
