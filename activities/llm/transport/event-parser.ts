import { ProviderFailure } from '../failures/provider-failure.ts';

/** One event of a stream. */
export interface ServerEvent {
  /** The `event:` field; '' without one. */
  readonly name: string;
  readonly data: string;
}

/** The name of an event made of lines that are no fields: some servers write an error into the stream as bare JSON. */
export const STRAY = '\0stray';

const MAX_STRAY_CHARACTERS = 65_536;

/** Longest event, and longest line. */
export const MAX_EVENT_CHARACTERS = 4 * 1024 * 1024;

/**
 * Server-sent events (WHATWG HTML, section 9.2.6) from text that arrives in pieces: all three line ends, several `data`
 * lines in one event, comments. The cost of a piece does not grow with what came before it. An event that is too long is
 * refused before more of it is held.
 */
export class EventParser {
  #line = '';
  #name = '';
  #data: string | undefined;
  #stray = '';
  #endedInCr = false;

  /** The events that this piece completes. */
  push(piece: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    if (piece === '') return events;
    const text = this.#withPlainLineEnds(piece);
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      refuseTooLong(this.#line.length + at - from);
      this.#takeLine(this.#line + text.slice(from, at), events);
      this.#line = '';
      from = at + 1;
    }
    refuseTooLong(this.#line.length + text.length - from);
    this.#line += text.slice(from);
    return events;
  }

  /** The event whose end was cut off, and the stray lines, if there are any. */
  end(): ServerEvent[] {
    const events: ServerEvent[] = [];
    if (this.#line !== '') this.#takeLine(this.#line, events);
    this.#takeLine('', events);
    if (this.#stray !== '') events.push({ name: STRAY, data: this.#stray });
    return events;
  }

  #withPlainLineEnds(piece: string): string {
    const rest = this.#endedInCr && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.#endedInCr = piece.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }

  #takeLine(line: string, events: ServerEvent[]): void {
    if (line.startsWith('data:')) {
      const value = valueAfter(line, 5);
      refuseTooLong((this.#data?.length ?? 0) + value.length);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    } else if (line === '') this.#dispatch(events);
    else if (line.startsWith('event:')) this.#name = valueAfter(line, 6);
    else if (!/^(:|(id|retry):|(data|event|id|retry)$)/.test(line)) this.#keepStray(line);
  }

  #dispatch(events: ServerEvent[]): void {
    if (this.#data !== undefined) events.push({ name: this.#name, data: this.#data });
    this.#data = undefined;
    this.#name = '';
  }

  #keepStray(line: string): void {
    if (this.#stray.length < MAX_STRAY_CHARACTERS) this.#stray += `${line.slice(0, MAX_STRAY_CHARACTERS)}\n`;
  }
}

function refuseTooLong(characters: number): void {
  if (characters <= MAX_EVENT_CHARACTERS) return;
  throw new ProviderFailure('sent far more than an answer can hold', { kind: 'outage' });
}

function valueAfter(line: string, at: number): string {
  return line.slice(line.startsWith(' ', at) ? at + 1 : at);
}
