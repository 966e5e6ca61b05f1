import type { Answer } from './behaviour.ts';
import type { Outlet } from './outlet.ts';

/** An unpaced answer is sent in writes of about this size. */
const batchBytes = 64 * 1024;

/** Turns event data into server-sent events and those into writes, in the form that the answer asks for. */
export class EventWriter {
  readonly #outlet: Outlet;
  readonly #framing: Answer['framing'];
  readonly #writes: Answer['writes'];
  #batch: string;
  #chunks = 0;

  constructor(outlet: Outlet, answer: Answer) {
    this.#outlet = outlet;
    this.#framing = answer.framing;
    this.#writes = answer.writes;
    this.#batch = answer.framing === 'bom' ? '\uFEFF' : '';
  }

  comment(text: string): void {
    this.#batch += this.#lines(`: ${text}`);
  }

  data(data: string): void {
    this.#batch += this.#lines(this.#dataLines(data));
  }

  /** Counts a content chunk, for the journal. */
  countChunk(): void {
    this.#chunks += 1;
  }

  get isFull(): boolean {
    return this.#batch.length >= batchBytes;
  }

  async flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = '';
    if (this.#writes === undefined) {
      await this.#outlet.write(batch, this.#chunks);
      return;
    }
    const bytes = Buffer.from(batch);
    const pauseMs = this.#writes.how === 'bytes' ? this.#writes.everyMs : 1;
    const cuts = this.#writes.how === 'bytes' ? everyBytes(bytes, this.#writes.bytes) : insideCharacters(bytes);
    let from = 0;
    for (const to of [...cuts, bytes.length]) {
      if (to <= from) continue;
      if (this.#outlet.isClosed) return;
      await this.#outlet.write(bytes.subarray(from, to), this.#chunks);
      // A pause between writes, so that they reach the reader as separate segments.
      await this.#outlet.pause(pauseMs);
      from = to;
    }
  }

  #lines(line: string): string {
    const newline = this.#framing === 'crlf' ? '\r\n' : this.#framing === 'cr' ? '\r' : '\n';
    return line.replaceAll('\n', newline) + newline + newline;
  }

  #dataLines(data: string): string {
    if (this.#framing === 'no-space') return `data:${data}`;
    // The lines of one event are joined with a newline, which JSON allows between its tokens.
    if (this.#framing === 'multi-line' && data.startsWith('{')) return `data: {\ndata: ${data.slice(1)}`;
    return `data: ${data}`;
  }
}

function* everyBytes(bytes: Buffer, length: number): Generator<number> {
  for (let at = length; at < bytes.length; at += length) yield at;
}

/** Returns the middle of every multi-byte character: the positions after a lead byte. */
function* insideCharacters(bytes: Buffer): Generator<number> {
  for (const [at, byte] of bytes.entries()) if (byte >= 0xc0) yield at + 1;
}
