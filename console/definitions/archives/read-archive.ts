import { strFromU8, unzipSync } from 'fflate';
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

/** Reads an archive, as far as the server would take it; throws when it is none, or holds more than that. */
export async function readArchive(archive: Blob): Promise<Archive> {
  if (archive.size > MAX_DEFINITION_BYTES * 2) throw new RangeError('The archive is too large');
  const bytes = new Uint8Array(await archive.arrayBuffer());
  let [count, size] = [0, 0];
  const entries = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (name.endsWith('/') || ADDED.test(name)) return false;
      [count, size] = [count + 1, size + originalSize];
      const isTooMuch = count > MAX_FILES || size > MAX_DEFINITION_BYTES || originalSize > MAX_FILE_BYTES;
      if (isTooMuch) throw new RangeError('The archive holds too much');
      return true;
    },
  });
  const paths = Object.keys(entries).toSorted();
  const folder = folderOf(paths);
  const within = folder === undefined ? 0 : folder.length + 1;
  const texts = paths.map((path) => [path.slice(within), strFromU8(entries[path] ?? new Uint8Array())] as const);
  return { folder, files: new Map(texts) };
}

function folderOf(paths: readonly string[]): string | undefined {
  const [folder = '', ...rest] = (paths[0] ?? '').split('/');
  return rest.length > 0 && paths.every((path) => path.startsWith(`${folder}/`)) ? folder : undefined;
}
