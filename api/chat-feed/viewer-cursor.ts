import { crc32 } from 'node:zlib';
import { z } from 'zod';
import type { CursorPosition } from '../context/subscriptions.ts';

/** The answer of a turn as far as its newest attempt has streamed it. */
export interface StreamingText {
  readonly turnId: string;
  readonly attempt: number;
  readonly text: string;
}

/**
 * Shows a growing text to one viewer, each part once. When another attempt restarts the text, nothing is shown until it
 * has passed what the viewer knows. If it differs by then, the viewer is shown no more: the stored answer at the end of
 * the turn is the truth.
 */
export class ViewerCursor {
  readonly #resumeFrom: CursorPosition | undefined;
  #position: CursorPosition | undefined;
  #attempt: number | undefined;
  #hasDiverged = false;

  /** @param resumeFrom the position that the viewer had reached on an earlier connection. */
  constructor(resumeFrom?: CursorPosition) {
    this.#resumeFrom = resumeFrom;
  }

  /** The position that a viewer can resume from. */
  get position(): CursorPosition | undefined {
    return this.#position;
  }

  /**
   * Adds the text of an attempt after so many characters. Returns the viewer's new position; `undefined` when the
   * viewer has not been shown exactly these characters, so that `advance` has to decide.
   */
  follow(
    { turnId, attempt }: Omit<StreamingText, 'text'>,
    length: number,
    addition: string,
  ): CursorPosition | undefined {
    const position = this.#position;
    if (position?.turnId !== turnId || position.length !== length) return undefined;
    if (this.#attempt !== attempt || this.#hasDiverged) return undefined;
    this.#position = { turnId, length: length + addition.length, crc: crc32(addition, position.crc) };
    return this.#position;
  }

  /** Returns the text to show now, '' for none. */
  advance({ turnId, attempt, text }: StreamingText): string {
    if (this.#position?.turnId !== turnId) this.#begin(turnId);
    const { length, crc } = this.#position ?? { length: 0, crc: 0 };
    if (this.#hasDiverged || text.length <= length) return '';
    if (this.#attempt !== attempt) {
      if (length > 0 && crc32(text.slice(0, length)) !== crc) {
        this.#hasDiverged = true;
        return '';
      }
      this.#attempt = attempt;
    }
    const addition = text.slice(length);
    this.#position = { turnId, length: text.length, crc: crc32(addition, crc) };
    return addition;
  }

  #begin(turnId: string): void {
    const known = this.#resumeFrom?.turnId === turnId ? this.#resumeFrom : undefined;
    this.#position = known ?? { turnId, length: 0, crc: 0 };
    this.#attempt = undefined;
    this.#hasDiverged = false;
  }
}

const EVENT_ID = /^(?<turnId>[0-9a-f-]{36}):(?<length>\d{1,8}):(?<crc>\d{1,10})(?<end>:end)?$/;

/** Returns the `id:` of a server-sent event. */
export function formatEventId({ turnId, length, crc }: CursorPosition): string {
  return `${turnId}:${length}:${crc}`;
}

/** Returns the `id:` of the event that ends a stream. */
export function formatEndId(position: CursorPosition): string {
  return `${formatEventId(position)}:end`;
}

/** Returns whether a `Last-Event-ID` is that of an event that ends a stream: nothing follows. */
export function isEndId(value: string | undefined): boolean {
  return EVENT_ID.exec(value ?? '')?.groups?.['end'] !== undefined;
}

/** Reads a `Last-Event-ID`; returns `undefined` for anything that is not ours. */
export function parseEventId(value: string | undefined): CursorPosition | undefined {
  const groups = EVENT_ID.exec(value ?? '')?.groups;
  const turnId = z.uuid().safeParse(groups?.['turnId']);
  if (!turnId.success) return undefined;
  return { turnId: turnId.data, length: Number(groups?.['length']), crc: Number(groups?.['crc']) };
}
