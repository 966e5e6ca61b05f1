/** How far the service is with a file's text: `ready` also for files that have none to read, such as images. */
export const FILE_STATUSES = ['pending', 'ready', 'failed'] as const;

/** How far the service is with a file's text. */
export type FileStatus = (typeof FILE_STATUSES)[number];

/** The formats of images that models take. */
const SHOWN_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Returns whether a file of this type is an image that models take. */
export function isShownImage(mediaType: string): boolean {
  return SHOWN_IMAGES.has(mediaType);
}

/** Returns whether a file of this type is an image: it has no text. */
export function isImage(mediaType: string): boolean {
  return mediaType.startsWith('image/') && mediaType !== 'image/svg+xml';
}

/** The folder of a workspace in which the files of its chat are found. */
export const UPLOADS = 'uploads';

/** The suffix of the name under which the text of a file is read. */
const TEXT_SUFFIX = '.txt';

const MAX_BYTES = 200;
const NAMELESS = 'file';

// Control and format characters (line breaks, bidirectional overrides, invisible ones), surrogates and line separators.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

// Includes characters that resemble a separator and become one in compatibility forms.
const SEPARATOR = /[\\/:]/;
const UNUSUAL = /[*?"<>|]/;
const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * Returns the name under which a file is found whose sender calls it `name`: one that leads nowhere and hides nothing.
 */
export function toPathName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? '';
  const seen = last.normalize('NFC').replaceAll(UNSEEN, '');
  const plain = Array.from(seen, (letter) => (isSafe(letter) ? letter : '_')).join('');
  const trimmed = withoutEnd(shortened(withoutEnd(plain.trim())));
  return trimmed === '' ? NAMELESS : trimmed.replace(DEVICE_NAME, '_$&');
}

/** Returns a name for a file that none of `taken` has, nor the text beside one of them. */
export function freePathName(wanted: string, taken: ReadonlySet<string>): string {
  const isFree = (name: string) =>
    !taken.has(name) &&
    !taken.has(textNameOf(name)) &&
    !(name.endsWith(TEXT_SUFFIX) && taken.has(name.slice(0, -TEXT_SUFFIX.length)));
  const dot = wanted.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [wanted.slice(0, dot), wanted.slice(dot)] : [wanted, ''];
  for (let count = 2, name = wanted; ; name = `${stem} (${count})${ending}`, count += 1) if (isFree(name)) return name;
}

/** Returns the name under which the text of a file is read, where the file itself is not that text. */
export function textNameOf(pathName: string): string {
  return `${pathName}${TEXT_SUFFIX}`;
}

function isSafe(letter: string): boolean {
  return !SEPARATOR.test(letter.normalize('NFKC')) && !UNUSUAL.test(letter);
}

// Some systems drop blanks and dots there, so that two names become one.
function withoutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && ' .'.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end).trimEnd();
}

// The ending says what a file is, so it stays.
function shortened(name: string): string {
  const ending = /\.[^.]{1,16}$/u.exec(name)?.[0] ?? '';
  let stem = name.slice(0, name.length - ending.length);
  while (bytesOf(stem + ending) > MAX_BYTES) stem = Array.from(stem).slice(0, -1).join('');
  return stem + ending;
}

function bytesOf(text: string): number {
  let bytes = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x8_00 ? 2 : code < 0x1_00_00 ? 3 : 4;
  }
  return bytes;
}

const APART: ReadonlySet<string> = new Set([
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'text/html',
]);
const PLAIN: ReadonlySet<string> = new Set(['application/json', 'application/xml', 'image/svg+xml']);

/** Returns whether files of this type are text themselves, rather than containing some. */
export function isPlainText(mediaType: string): boolean {
  return isReadable(mediaType) && !APART.has(mediaType);
}

/** Returns whether the text of files of this type can be extracted. */
export function isReadable(mediaType: string): boolean {
  return mediaType.startsWith('text/') || APART.has(mediaType) || PLAIN.has(mediaType);
}

/** A location of files in a storage that speaks S3. */
export interface FilesLocation {
  readonly bucket: string;
  /** Begins the name of every object; empty, or with a slash at its end. */
  readonly prefix: string;
  /** The address of the server; that of AWS unless given. */
  readonly endpoint: string | undefined;
  readonly region: string;
}

const EXPECTED = 'must be like s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1';
const DEFAULT_REGION = 'us-east-1';

/** Reads where files are kept, as a setting gives it; nothing is PostgreSQL. Throws what is wrong with the text. */
export function parseFilesLocation(text: string): FilesLocation | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  if (url === null || !isBucket(url)) throw new Error(EXPECTED);
  const { endpoint, region = DEFAULT_REGION, ...others } = Object.fromEntries(url.searchParams);
  if (Object.keys(others).length > 0 || !isEndpoint(endpoint)) throw new Error(EXPECTED);
  const path = url.pathname.split('/').filter((part) => part !== '');
  return { bucket: url.host, prefix: path.map((part) => `${part}/`).join(''), endpoint, region };
}

// Credentials are no part of it: addresses end up in logs.
function isBucket({ protocol, host, username, hash }: URL): boolean {
  return protocol === 's3:' && host !== '' && username === '' && hash === '';
}

function isEndpoint(text: string | undefined): boolean {
  return text === undefined || /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}
