import { isAscii } from 'node:buffer';
import chardet from 'chardet';
import { decodeText, isTextIn, markedEncoding } from '../../../domain/core/decode-text.ts';

/** A text that was read, and how. */
export interface ReadText {
  readonly text: string;
  /** The encoding that it was read in, by its name on the web. */
  readonly encoding: string;
  /** Whether the encoding was neither declared nor recognizable by the bytes, so that letters may be wrong. */
  readonly isUncertain: boolean;
}

type Encoding = Omit<ReadText, 'text'>;

const UTF8 = 'utf-8';
/** The encoding of most programs for Western languages that do not write Unicode. */
const USUAL = 'windows-1252';
/** How many bytes are searched for a declaration within a text. */
const DECLARED_BYTES = 4_096;
/** The bytes that an encoding is recognized by. */
const SAMPLE_BYTES = 64 * 1_024;
/** How sure the library, which says 0 to 100, must be to be believed without a notice, and to be believed at all. */
const SURE = 60;
const LIKELY = 20;
/** Encodings of languages in Latin letters, which a few of these do not distinguish: the usual one is likelier. */
const LATIN: ReadonlySet<string> = new Set([
  USUAL,
  'iso-8859-2',
  'windows-1250',
  'windows-1254',
  'windows-1257',
  'windows-1258',
]);
const ESCAPE = 0x1b;
const ISO_2022 = ['\u001B$@', '\u001B$B'];

const CHARSET = /charset\s*=[\s"']*([\w.:+-]{1,40})/i;
const XML_DECLARATION = /^\s*<\?xml\b[^>]{0,200}?\sencoding\s*=\s*["']([\w.:+-]{1,40})/i;
const META = /<meta\b[^<>]{0,500}/gi;
const NOT_ASCII = /[\u0080-\u{10FFFF}]/u;
const COMMENT = /<!--[^]*?(?:-->|$)/g;

/**
 * Reads a text in the encoding that its byte order mark, its content type or the text itself declares; what the text
 * itself declares yields to characters of UTF-8, and so does Latin-1 in its content type. Otherwise it is UTF-8, even
 * with some bad bytes, or what a library recognizes. Bytes that cannot be decoded become U+FFFD.
 */
export function readText(bytes: Uint8Array, contentType = ''): ReadText {
  const encoding = encodingOf(bytes, contentType);
  return { text: decodeText(bytes, encoding.encoding), ...encoding };
}

/** Decodes a text that arrives in chunks, in the encoding that the first chunk indicates that is not ASCII alone. */
export class TextChunks implements AsyncIterable<string> {
  readonly #chunks: AsyncIterable<Uint8Array>;
  #found: Encoding = { encoding: UTF8, isUncertain: false };

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks;
  }

  /** A notice for readers of the chunks so far, if their encoding is uncertain. */
  get notice(): string | undefined {
    return encodingNotice(this.#found);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    let decoder: InstanceType<typeof TextDecoder> | undefined;
    let isFirst = true;
    for await (const chunk of this.#chunks) {
      if (decoder === undefined) {
        this.#found = isFirst ? encodingOf(chunk, '', true) : contentEncoding(chunk, true);
        isFirst = false;
        if (this.#found.encoding !== UTF8 || !isAscii(chunk)) decoder = new TextDecoder(this.#found.encoding);
      }
      yield decoder === undefined ? new TextDecoder().decode(chunk) : decoder.decode(chunk, { stream: true });
    }
    yield decoder?.decode() ?? '';
  }
}

/** Returns the notice for a text that `readText` reads in an uncertain encoding; undefined for others. */
export function encodingNoticeOf(bytes: Uint8Array): string | undefined {
  return encodingNotice(encodingOf(bytes, ''));
}

/** Returns a notice for readers of a text whose encoding is uncertain; undefined for others. */
export function encodingNotice({ encoding, isUncertain }: Encoding): string | undefined {
  return isUncertain
    ? `[The text does not say its encoding. It was read as ${encoding}; letters may be wrong.]`
    : undefined;
}

// A part may end within a character.
function encodingOf(bytes: Uint8Array, contentType: string, isPart = false): Encoding {
  const ofType = encodingNamed(CHARSET.exec(contentType)?.[1]);
  // Many servers declare Latin-1 for all their files.
  const isDefault = ofType === USUAL && hasUtf8Characters(bytes, isPart);
  const known = markedEncoding(bytes) ?? (isDefault ? UTF8 : ofType) ?? encodingWithin(bytes, contentType, isPart);
  // Many servers and pages declare UTF-8 whatever they send, so that is checked like no declaration.
  if (known !== undefined && known !== UTF8) return { encoding: known, isUncertain: false };
  return contentEncoding(bytes, isPart);
}

function contentEncoding(bytes: Uint8Array, isPart: boolean): Encoding {
  if (isUtf8(bytes, isPart)) return { encoding: UTF8, isUncertain: false };
  return recognize(bytes);
}

function charsetOfPage(start: string): string | undefined {
  for (const [element] of start.replaceAll(COMMENT, '').matchAll(META)) {
    const charset = CHARSET.exec(element)?.[1];
    if (charset !== undefined) return charset;
  }
  return undefined;
}

// A declaration that is read byte by byte, as one is here, is not in UTF-16.
function encodingWithin(bytes: Uint8Array, contentType: string, isPart: boolean): string | undefined {
  const start = Buffer.from(bytes.subarray(0, DECLARED_BYTES)).toString('latin1');
  const type = contentType.split(';', 1)[0]?.trim() ?? '';
  const isPage = /html/i.test(type) || (type === '' && /^\s*</.test(start));
  const declared = encodingNamed(XML_DECLARATION.exec(start)?.[1] ?? (isPage ? charsetOfPage(start) : undefined));
  if (declared === undefined) return undefined;
  return declared.startsWith('utf-16') || hasUtf8Characters(bytes, isPart) ? UTF8 : declared;
}

function encodingNamed(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

// Programs that convert a text to UTF-8 leave its declaration, and bytes of other encodings are hardly ever UTF-8.
function hasUtf8Characters(bytes: Uint8Array, isPart: boolean): boolean {
  return isUtf8(bytes, isPart) && NOT_ASCII.test(new TextDecoder(UTF8).decode(bytes, { stream: isPart }));
}

// ISO-2022 consists of ASCII alone, with escapes that no UTF-8 text contains.
function isUtf8(bytes: Uint8Array, isPart: boolean): boolean {
  if (ISO_2022.some((escape) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(escape)))
    return false;
  return isTextIn(UTF8, bytes, { isSample: isPart });
}

function recognize(bytes: Uint8Array): Encoding {
  const sample = sampleOf(bytes);
  // No encoding but UTF-16 and UTF-32 has zero bytes, and those are taken for text by their mark only.
  if (sample.includes(0) || isMostlyUtf8(sample)) return { encoding: UTF8, isUncertain: false };
  for (const { name, confidence } of chardet.analyse(sample)) {
    const encoding = encodingNamed(name);
    if (encoding === undefined || encoding === UTF8 || !isTextIn(encoding, sample, { isSample: true })) continue;
    if (confidence >= SURE) return { encoding, isUncertain: false };
    if (confidence < LIKELY || LATIN.has(encoding)) break;
    return { encoding, isUncertain: true };
  }
  return { encoding: USUAL, isUncertain: true };
}

// Begins at the first byte that is no ASCII, with some context before it: all else is irrelevant.
function sampleOf(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte >= 0x80 || byte === ESCAPE);
  const from = Math.max(0, first - 1_024);
  return bytes.subarray(from, from + SAMPLE_BYTES);
}

// Bytes of other encodings hardly ever form a character of UTF-8, so as many of these as faults suffice.
function isMostlyUtf8(sample: Uint8Array): boolean {
  let [faults, characters] = [0, 0];
  for (const character of new TextDecoder(UTF8).decode(sample)) {
    if (character === '\uFFFD') faults += 1;
    else if (character > '\u007F') characters += 1;
  }
  return characters > 0 && characters >= faults;
}
