import { Inflate } from 'fflate';
import { isObject } from '../../domain/core/objects.ts';
import {
  DEFINITION_KEY,
  MAX_DEFINITION_BYTES,
  MAX_FILE_BYTES,
  MAX_FILES,
  SKILL_FILE,
  splitFrontMatter,
} from '../../domain/definitions/files.ts';
import type { DefinitionKind } from './queries.ts';

/** What a ZIP archive of a definition holds. */
export interface Archive {
  /** The folder that all files lie in: the key, unless the files say another one. Undefined for none. */
  readonly folder: string | undefined;
  /** The texts of the files by their paths within the folder, in the order of the paths. */
  readonly files: ReadonlyMap<string, string>;
}

/** What systems add to archives by themselves, and the server passes over. */
const ADDED = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/;

/** How much of an entry is unpacked at once, in bytes: so much can become a thousand times as much. */
const CHUNK = 16 * 1024;
const [STORED, DEFLATED] = [0, 8];

/** Reads an archive, as far as the server would take it; throws when it is none, or holds more than that. */
export async function readArchive(archive: Blob): Promise<Archive> {
  if (archive.size > MAX_DEFINITION_BYTES * 2) throw tooMuch();
  const entries = readDirectory(new Uint8Array(await archive.arrayBuffer()));
  const files = entries.filter(({ name }) => !name.endsWith('/') && !ADDED.test(name));
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (files.length > MAX_FILES || size > MAX_DEFINITION_BYTES) throw tooMuch();
  const texts = new Map(files.map((file) => [file.name, textOf(file)]));
  const paths = [...texts.keys()].toSorted();
  const folder = folderOf(paths);
  const within = folder === undefined ? 0 : folder.length + 1;
  return { folder, files: new Map(paths.map((path) => [path.slice(within), texts.get(path) ?? ''])) };
}

/** An entry of a ZIP archive, as its central directory tells, which is what the server goes by. */
interface ArchiveEntry {
  readonly name: string;
  /** How it is packed: 0 not at all, 8 deflated. */
  readonly method: number;
  /** Its bytes as they are in the archive. */
  readonly packed: Uint8Array<ArrayBuffer>;
  /** How many bytes it has unpacked. */
  readonly size: number;
}

// The layout is that of APPNOTE.TXT of PKWARE, 4.3.7 (local header), 4.3.12 (central directory) and 4.3.16 (its end).
const LOCAL = { signature: 0x0403_4b50, length: 30 };
const CENTRAL = { signature: 0x0201_4b50, length: 46 };
const END = { signature: 0x0605_4b50, length: 22 };
const MAX_COMMENT = 65_535;

/** Returns the entries of an archive; throws when it is none, or when its entries share bytes. */
function readDirectory(bytes: Uint8Array<ArrayBuffer>): readonly ArchiveEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const end = endOf(view);
    const entries: ArchiveEntry[] = [];
    let at = view.getUint32(end + 16, true);
    for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
      if (view.getUint32(at, true) !== CENTRAL.signature) throw noArchive();
      const lengths = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
      entries.push(entryAt(bytes, view, at));
      at += CENTRAL.length + lengths.reduce((sum, length) => sum + length, 0);
    }
    // Entries that share bytes are small in the archive, and large together.
    if (entries.reduce((sum, { packed }) => sum + packed.length, 0) > bytes.length) throw noArchive();
    return entries;
  } catch (error) {
    // What lies beyond the end of the archive cannot be read.
    throw error instanceof RangeError ? noArchive() : error;
  }
}

function endOf(view: DataView): number {
  const first = Math.max(0, view.byteLength - END.length - MAX_COMMENT);
  for (let at = view.byteLength - END.length; at >= first; at -= 1)
    if (view.getUint32(at, true) === END.signature) return at;
  throw noArchive();
}

function entryAt(bytes: Uint8Array<ArrayBuffer>, view: DataView, at: number): ArchiveEntry {
  const nameAt = at + CENTRAL.length;
  if (hasSecondName(view, nameAt + view.getUint16(at + 28, true), view.getUint16(at + 30, true))) throw noArchive();
  const name = new TextDecoder().decode(bytes.subarray(nameAt, nameAt + view.getUint16(at + 28, true)));
  const local = view.getUint32(at + 42, true);
  if (view.getUint32(local, true) !== LOCAL.signature) throw noArchive();
  const from = local + LOCAL.length + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const packed = bytes.subarray(from, from + view.getUint32(at + 20, true));
  return { name, method: view.getUint16(at + 10, true), packed, size: view.getUint32(at + 24, true) };
}

/** The extra field of Info-ZIP that gives an entry another name, by which the server would go (APPNOTE.TXT, 4.6.9). */
const UNICODE_PATH = 0x7075;

function hasSecondName(view: DataView, from: number, length: number): boolean {
  for (let at = from; at + 4 <= from + length; at += 4 + view.getUint16(at + 2, true))
    if (view.getUint16(at, true) === UNICODE_PATH) return true;
  return false;
}

function noArchive(): Error {
  return new Error('This is no ZIP archive that can be read');
}

// Stops at the first byte too many: an entry may hold more than the archive says.
function textOf({ method, packed, size }: ArchiveEntry): string {
  if (size > MAX_FILE_BYTES) throw tooMuch();
  if (method === STORED) return new TextDecoder().decode(packed);
  if (method !== DEFLATED) throw new Error('The archive is packed in a way that cannot be read');
  const decoder = new TextDecoder();
  let [text, own] = ['', 0];
  const inflate = new Inflate((chunk) => {
    own += chunk.length;
    if (own > size) throw tooMuch();
    text += decoder.decode(chunk, { stream: true });
  });
  for (let at = 0; at < packed.length; at += CHUNK)
    inflate.push(packed.subarray(at, at + CHUNK), at + CHUNK >= packed.length);
  return text + decoder.decode();
}

function tooMuch(): RangeError {
  return new RangeError('The archive is too large');
}

function folderOf(paths: readonly string[]): string | undefined {
  const [folder = '', ...rest] = (paths[0] ?? '').split('/');
  return rest.length > 0 && paths.every((path) => path.startsWith(`${folder}/`)) ? folder : undefined;
}

/** The files of records, which say their keys. */
const RECORD_FILES = { skills: 'skill.json', personas: 'persona.json', tools: 'tool.json' } as const;

/** The name in the front matter of a SKILL.md, which is its key where nothing else says one. */
const NAME = /^name:[ \t]+(?<quote>["']?)(?<name>[a-z0-9_-]{1,64})\k<quote>[ \t\r]*$/m;

/**
 * Returns the key that an archive says, where the server looks for it: its folder, else its files. Undefined where it
 * says none, or not in a way that is read here.
 */
export function keyIn({ folder, files }: Archive, kind: Pick<DefinitionKind, 'key'>): string | undefined {
  const key = folder ?? keyInFiles(files, kind.key);
  return key !== undefined && DEFINITION_KEY.test(key) ? key : undefined;
}

function keyInFiles(files: Archive['files'], kind: DefinitionKind['key']): string | undefined {
  const record = files.get(RECORD_FILES[kind]);
  if (record !== undefined) return keyInJson(record);
  if (kind !== 'skills') return undefined;
  return NAME.exec(splitFrontMatter(files.get(SKILL_FILE) ?? '')?.fields ?? '')?.groups?.['name'];
}

function keyInJson(text: string): string | undefined {
  try {
    const record: unknown = JSON.parse(text);
    return isObject(record) && typeof record['key'] === 'string' ? record['key'] : undefined;
  } catch {
    // The server says what is wrong with it.
    return undefined;
  }
}

/** What becomes of a file. */
export interface FileChange {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed' | 'same';
}

type Files = ReadonlyMap<string, string>;

/** Returns how some files differ from others, in the order of their paths. */
export function fileChanges(before: Files, after: Files): FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths.map((path) => ({ path, kind: kindOf(before.get(path), after.get(path)) }));
}

function kindOf(before: string | undefined, after: string | undefined): FileChange['kind'] {
  if (before === undefined) return 'added';
  if (after === undefined) return 'removed';
  return before === after ? 'same' : 'changed';
}
