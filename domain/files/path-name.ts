/** The folder of a workspace in which the files of its chat are found. */
export const UPLOADS = 'uploads';

/** Ends the name under which the text of a file is read beside it. */
const TEXT_SUFFIX = '.txt';

const MAX_BYTES = 200;
const NAMELESS = 'file';
// Control and format characters (line breaks, bidirectional overrides, invisible ones), surrogates and line separators.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
// Also characters that only look like a separator, which compatibility forms turn into one.
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
