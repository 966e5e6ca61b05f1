import { createParser, type ParseError } from 'eventsource-parser';
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
/** Lines that are no fields, in one stream. The library makes an error of each, with its stack. */
const MAX_STRAY_LINES = 1_000;

/** Longest event, and longest line. */
export const MAX_EVENT_CHARACTERS = 4 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;

/**
 * Reads server-sent events (WHATWG HTML, section 9.2.6) from text that arrives in chunks. Rejects an event that is too
 * long before more of it is buffered. The library gets whole lines only, because it would drop the beginning of one
 * that is no field.
 */
export class EventParser {
  #line = '';
  #stray = '';
  #strayLines = 0;
  #events: ServerEvent[] = [];
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: ({ event = '', data }) => {
      rejectTooLong(data.length);
      this.#events.push({ name: event, data });
    },
    onError: (error) => this.#keepStray(error),
  });

  /** Returns the events that this chunk completes. */
  push(chunk: string): ServerEvent[] {
    const end = endOfLines(chunk);
    rejectTooLong(this.#line.length + (end === 0 ? chunk.length : 0));
    if (end === 0) this.#line += chunk;
    else {
      this.#parser.feed(this.#line + (end === chunk.length ? chunk : chunk.slice(0, end)));
      this.#line = chunk.slice(end);
    }
    return this.#takeEvents();
  }

  /** Returns the event whose end was cut off, and the stray lines, if there are any. */
  end(): ServerEvent[] {
    const events = this.push('\n\n');
    return this.#stray === '' ? events : [...events, { name: STRAY, data: this.#stray }];
  }

  #takeEvents(): ServerEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  #keepStray({ type, line = '' }: ParseError): void {
    this.#strayLines += 1;
    if (type === 'max-buffer-size-exceeded' || this.#strayLines > MAX_STRAY_LINES) throw tooMuch();
    if (type === 'unknown-field' && this.#stray.length < MAX_STRAY_CHARACTERS)
      this.#stray += `${line.slice(0, MAX_STRAY_CHARACTERS)}\n`;
  }
}

/** Reads server-sent events from bytes. */
export class ServerEventParser {
  readonly #decoder = new TextDecoder();
  readonly #parser = new EventParser();

  push(chunk: Uint8Array): ServerEvent[] {
    return this.#parser.push(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): ServerEvent[] {
    return [...this.#parser.push(this.#decoder.decode()), ...this.#parser.end()];
  }
}

/** Returns the position after the last line end of a chunk, 0 when it has none. Most chunks are whole lines. */
function endOfLines(chunk: string): number {
  for (let end = chunk.length; end > 0; end -= 1) {
    const code = chunk.charCodeAt(end - 1);
    if (code === LF || code === CR) return end;
  }
  return 0;
}

function rejectTooLong(characters: number): void {
  if (characters > MAX_EVENT_CHARACTERS) throw tooMuch();
}

/** Creates the failure for a stream that is longer than any reply. */
export function tooMuch(): ProviderFailure {
  return new ProviderFailure('sent far more than a reply can contain', { kind: 'outage' });
}
