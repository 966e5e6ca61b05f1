import type { ImapFlow } from 'imapflow';

/** What may come before one is signed in: greetings, capabilities and refusals. */
const EARLY = { line: 256 * 1024, literal: 256 * 1024, response: 1024 * 1024 } as const;
const MAX_EARLY = 1024 * 1024;
/** What one answer may hold afterwards: a mail as a literal, or a line of numbers of mails. */
const LATER = { line: 1024 * 1024, literal: 30_000_000, response: 30_000_000 } as const;
/** The most parts of a line: the library makes an object of each while all else waits. */
const MAX_PARTS = 100_000;
const [BLANK, BRACKET] = [' ', '('].map((mark) => mark.charCodeAt(0));

/** An answer of the server before it is taken apart. */
interface RawResponse {
  readonly payload: Buffer;
  readonly literals?: readonly Buffer[];
}

/** What is used of the library beside its types. */
interface Reader {
  readonly streamer: {
    maxLineLength: number;
    maxLiteralSize: number;
    maxResponseSize: number;
    destroy(error: Error): void;
  };
  handleResponse(response: RawResponse): Promise<boolean>;
}

/** Bounds what a server may answer, and what is taken apart of it. Returns how more is allowed once signed in. */
export function boundAnswers(client: ImapFlow): () => void {
  const reader = client as unknown as Reader;
  const { streamer } = reader;
  const handle = reader.handleResponse.bind(client);
  let early: number | undefined = 0;
  allow(streamer, EARLY);
  reader.handleResponse = async (response) => {
    if (early !== undefined) early += bytesOf(response);
    if ((early ?? 0) <= MAX_EARLY && !hasManyParts(response.payload)) return handle(response);
    streamer.destroy(Object.assign(new Error('The answer is too large'), { code: 'ResponseTooLarge' }));
    return false;
  };
  return () => {
    early = undefined;
    allow(streamer, LATER);
  };
}

function allow(streamer: Reader['streamer'], { line, literal, response }: Record<keyof typeof EARLY, number>): void {
  streamer.maxLineLength = line;
  streamer.maxLiteralSize = literal;
  streamer.maxResponseSize = response;
}

function bytesOf({ payload, literals = [] }: RawResponse): number {
  return literals.reduce((sum, { length }) => sum + length, payload.length);
}

function hasManyParts(line: Buffer): boolean {
  let parts = 0;
  for (const byte of line) if (byte === BLANK || byte === BRACKET) parts += 1;
  return parts > MAX_PARTS;
}
