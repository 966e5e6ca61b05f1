import type { EndedTurn } from '../../db/turns/index.ts';
import type { StepEvent } from '../../domain/events/index.ts';

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
  /** Tells that the turn has ended; called once for each turn, in their order. */
  onEnd(turn: EndedTurn): void;
}

/** The watched chats of this process. */
export interface ChatSubscriptions {
  /**
   * Shows the viewer the running turn of a chat, and all that follow, until the returned function is called. Everything
   * that happens after this has resolved is shown.
   */
  subscribe(place: { orgId: string; chatId: string }, viewer: Viewer, resumeFrom?: CursorPosition): Promise<() => void>;
}
