import { crc32 } from 'node:zlib';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { asObject, asText, parseJson } from './json.ts';
import { MAX_EVENT_CHARACTERS, type ServerEvent, tooMuch } from './event-parser.ts';

/** The longest frame, as long as the longest event of other streams. */
const MAX_FRAME_BYTES = MAX_EVENT_CHARACTERS;
const MAX_HEADERS = 64;
/** Two lengths and the checksum of both. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const EVENT_NAME = /^[A-Za-z]{1,100}$/;

/**
 * Reads the frames of `application/vnd.amazon.eventstream`. Each becomes an event whose data is an object with one
 * entry: the payload, under the frame's type. Rejects a frame that is too long before it is buffered, and a damaged
 * one.
 */
export class AwsEventParser {
  #buffer = Buffer.alloc(0);
  #length = 0;

  push(chunk: Uint8Array): ServerEvent[] {
    this.#append(chunk);
    const bytes = this.#buffer.subarray(0, this.#length);
    const events: ServerEvent[] = [];
    let at = 0;
    for (;;) {
      const frame = frameAt(bytes, at);
      if (frame === undefined) break;
      at += frame.byteLength;
      events.push(...toEvents(frame));
    }
    this.#buffer.copyWithin(0, at, this.#length);
    this.#length -= at;
    return events;
  }

  /** Returns nothing: a frame that was cut off is none. */
  end(): ServerEvent[] {
    return [];
  }

  // Grows by doubling, so that a frame in many chunks costs no more than its length.
  #append(chunk: Uint8Array): void {
    const needed = this.#length + chunk.byteLength;
    if (needed > this.#buffer.byteLength) {
      const larger = Buffer.alloc(Math.max(needed, 2 * this.#buffer.byteLength));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = needed;
  }
}

/** Returns the whole frame that begins here; undefined while a part of it is missing. */
function frameAt(bytes: Buffer, at: number): Buffer | undefined {
  if (bytes.byteLength - at < PRELUDE_BYTES) return undefined;
  const length = bytes.readUInt32BE(at);
  if (crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8)) throw damaged();
  if (length > MAX_FRAME_BYTES) throw tooMuch();
  if (length < PRELUDE_BYTES + CHECKSUM_BYTES) throw damaged();
  if (bytes.byteLength - at < length) return undefined;
  const frame = bytes.subarray(at, at + length);
  const end = length - CHECKSUM_BYTES;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) throw damaged();
  return frame;
}

function toEvents(frame: Buffer): ServerEvent[] {
  const headersEnd = PRELUDE_BYTES + frame.readUInt32BE(4);
  const payloadEnd = frame.byteLength - CHECKSUM_BYTES;
  if (headersEnd > payloadEnd) throw damaged();
  const headers = readHeaders(frame.subarray(PRELUDE_BYTES, headersEnd));
  const payload = frame.toString('utf8', headersEnd, payloadEnd);
  const kind = headers.get(':message-type');
  if (kind === 'exception')
    return [errorOf(headers.get(':exception-type'), asText(asObject(parseJson(payload))['message']))];
  if (kind === 'error') return [errorOf(headers.get(':error-code'), headers.get(':error-message'))];
  const name = headers.get(':event-type') ?? '';
  // Types that do not exist yet may have no JSON in them.
  const isJson = headers.get(':content-type') === 'application/json' && EVENT_NAME.test(name);
  return isJson ? [{ name: '', data: `{"${name}":${payload}}` }] : [];
}

function errorOf(code: string | undefined, message: string | undefined): ServerEvent {
  return { name: 'error', data: JSON.stringify({ error: { code, message } }) };
}

/** The bytes of a header's value by its type; undefined where its length comes first. */
const VALUE_BYTES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const TEXT = 7;

/** Returns the headers that are texts. */
function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0, count = 0; at < bytes.byteLength; count += 1) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd];
    if (count >= MAX_HEADERS || type === undefined || type >= VALUE_BYTES.length) throw damaged();
    const fixed = VALUE_BYTES[type];
    const start = nameEnd + 1 + (fixed === undefined ? 2 : 0);
    if (start > bytes.byteLength) throw damaged();
    const end = start + (fixed ?? bytes.readUInt16BE(nameEnd + 1));
    if (end > bytes.byteLength) throw damaged();
    if (type === TEXT) headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', start, end));
    at = end;
  }
  return headers;
}

function damaged(): ProviderFailure {
  return new ProviderFailure('sent a reply that was damaged on its way', { kind: 'outage' });
}
