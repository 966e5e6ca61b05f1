import { Unzip, UnzipInflate } from 'fflate';
import { MAX_DEFINITION_BYTES, MAX_FILE_BYTES, MAX_FILES } from '../../../domain/definitions/limits.ts';

/** What a ZIP archive of a definition holds. */
export interface Archive {
  /** The folder that all files lie in: the key, unless the files say another one. Undefined for none. */
  readonly folder: string | undefined;
  /** The texts of the files by their paths within the folder, in the order of the paths. */
  readonly files: ReadonlyMap<string, string>;
}

/** What systems add to archives by themselves, and the server passes over. */
const ADDED = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/;

/** How much of an archive is read at once, in bytes: so much can become a thousand times as much. */
const PIECE = 16 * 1024;

/** Reads an archive, as far as the server would take it; throws when it is none, or holds more than that. */
export async function readArchive(archive: Blob): Promise<Archive> {
  if (archive.size > MAX_DEFINITION_BYTES * 2) throw tooMuch();
  const entries = unzip(new Uint8Array(await archive.arrayBuffer()));
  const paths = [...entries.keys()].toSorted();
  if (paths.length === 0) throw new RangeError('The archive holds no file');
  const folder = folderOf(paths);
  const within = folder === undefined ? 0 : folder.length + 1;
  return { folder, files: new Map(paths.map((path) => [path.slice(within), entries.get(path) ?? ''])) };
}

// Stops at the first byte too many, whatever the archive says of its sizes.
function unzip(bytes: Uint8Array<ArrayBuffer>): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  let [count, size] = [0, 0];
  const reader = new Unzip((file) => {
    if (file.name.endsWith('/') || ADDED.test(file.name)) return;
    count += 1;
    if (count > MAX_FILES) throw tooMuch();
    const decoder = new TextDecoder();
    let [text, own] = ['', 0];
    file.ondata = (error: Error | null, piece, isLast) => {
      if (error !== null) throw error;
      [own, size] = [own + piece.length, size + piece.length];
      if (own > MAX_FILE_BYTES || size > MAX_DEFINITION_BYTES) throw tooMuch();
      text += decoder.decode(piece, { stream: !isLast });
      if (isLast) entries.set(file.name, text);
    };
    file.start();
  });
  reader.register(UnzipInflate);
  for (let at = 0; at < bytes.length; at += PIECE)
    reader.push(bytes.subarray(at, at + PIECE), at + PIECE >= bytes.length);
  return entries;
}

function tooMuch(): RangeError {
  return new RangeError('The archive holds too much');
}

function folderOf(paths: readonly string[]): string | undefined {
  const [folder = '', ...rest] = (paths[0] ?? '').split('/');
  return rest.length > 0 && paths.every((path) => path.startsWith(`${folder}/`)) ? folder : undefined;
}
