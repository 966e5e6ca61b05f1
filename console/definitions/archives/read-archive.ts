import { Inflate } from 'fflate';
import { MAX_DEFINITION_BYTES, MAX_FILE_BYTES, MAX_FILES } from '../../../domain/definitions/limits.ts';
import { type ArchiveEntry, readDirectory } from './central-directory.ts';

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
const PIECE = 16 * 1024;
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

// Stops at the first byte too many: an entry may hold more than the archive says.
function textOf({ method, packed, size }: ArchiveEntry): string {
  if (size > MAX_FILE_BYTES) throw tooMuch();
  if (method === STORED) return new TextDecoder().decode(packed);
  if (method !== DEFLATED) throw new Error('The archive is packed in a way that cannot be read');
  const decoder = new TextDecoder();
  let [text, own] = ['', 0];
  const inflate = new Inflate((piece) => {
    own += piece.length;
    if (own > size) throw tooMuch();
    text += decoder.decode(piece, { stream: true });
  });
  for (let at = 0; at < packed.length; at += PIECE)
    inflate.push(packed.subarray(at, at + PIECE), at + PIECE >= packed.length);
  return text + decoder.decode();
}

function tooMuch(): RangeError {
  return new RangeError('The archive holds too much');
}

function folderOf(paths: readonly string[]): string | undefined {
  const [folder = '', ...rest] = (paths[0] ?? '').split('/');
  return rest.length > 0 && paths.every((path) => path.startsWith(`${folder}/`)) ? folder : undefined;
}
