import { type ArchiveEntry, MAX_CONTENT_BYTES } from '../../../compute/job.ts';
import type { ToolContext } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import type { ToolOutput } from '../../../tool.ts';
import { filePath, folderPath, isRepositoryInternal, type WorkspacePath } from '../../../workspace/workspace-path.ts';
import { type ReadArchive, withArchive } from './read-archive.ts';

const MAX_SHOWN = 100;
/** Files that are unpacked at once. */
const BATCH = { bytes: MAX_CONTENT_BYTES, files: 500 };

interface Extraction {
  readonly archive: string;
  readonly paths: readonly string[] | undefined;
  readonly to: string;
  readonly overwrite: boolean;
}

/** A file of an archive and where it goes. */
interface PlannedFile {
  readonly place: number;
  readonly size: number;
  readonly target: WorkspacePath;
}

/**
 * Unpacks an archive. Nothing is written when a name in it leads out of the folder, or when it is encrypted; links,
 * devices and the files of repositories themselves are left out.
 */
export async function extractArchive(
  { archive, paths, to, overwrite }: Extraction,
  context: ToolContext,
): Promise<ToolOutput> {
  const folder = folderPath(to);
  return withArchive(archive, context, async (read) => {
    const { files, leftOut } = plan(read.entries, folder, paths);
    await writeAll(files, read, { overwrite, context });
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const shown = files.slice(0, MAX_SHOWN).map(({ target }) => target.join('/'));
    const value = {
      extracted: files.length,
      bytes,
      files: shown,
      ...(files.length > MAX_SHOWN && { not_shown: files.length - MAX_SHOWN }),
      ...(leftOut.length > 0 && { left_out: leftOut.slice(0, MAX_SHOWN) }),
    };
    return { value, isForeign: read.isForeign };
  });
}

interface Plan {
  readonly files: readonly PlannedFile[];
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
}

function plan(entries: readonly ArchiveEntry[], folder: WorkspacePath, paths: readonly string[] | undefined): Plan {
  const wanted = paths?.map((path) => filePath(path).join('/'));
  const files = new Map<string, PlannedFile>();
  const leftOut: { path: string; reason: string }[] = [];
  for (const [place, entry] of entries.entries()) {
    const names = namesOf(entry);
    if (entry.type === 'folder' || !isWanted(names, wanted)) continue;
    const reason = whyLeftOut(entry, names);
    if (reason !== undefined) leftOut.push({ path: entry.path, reason });
    // Of two entries with one name, the later one counts.
    else files.set(names.join('/'), { place, size: entry.size, target: [...folder, ...names] });
  }
  if (files.size === 0) throw new ToolFailure('not_found', nothingIn(entries, leftOut));
  checkFolders(files);
  return { files: [...files.values()], leftOut };
}

function nothingIn(entries: readonly ArchiveEntry[], leftOut: Plan['leftOut']): string {
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))].join(', ');
  if (reasons !== '') return `Nothing can be unpacked: ${reasons}`;
  return entries.every(({ type }) => type === 'folder')
    ? 'The archive holds no files'
    : 'The archive has no files at these paths; list it first';
}

function namesOf({ path, type }: ArchiveEntry): WorkspacePath {
  try {
    return type === 'folder' ? folderPath(path) : filePath(path);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const name = JSON.stringify(path.slice(0, 200));
    throw new ToolFailure('denied', `Nothing was unpacked, because of the name ${name}: ${error.message}`);
  }
}

function isWanted(names: WorkspacePath, wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined) return true;
  const path = names.join('/');
  return wanted.some((each) => path === each || path.startsWith(`${each}/`));
}

function whyLeftOut({ type, size, isLocked }: ArchiveEntry, names: WorkspacePath): string | undefined {
  if (isLocked)
    throw new ToolFailure('denied', 'Nothing was unpacked: files in it are encrypted, or compressed in an unknown way');
  if (type === 'link') return 'links are not unpacked';
  if (type === 'other') return 'devices and pipes are not unpacked';
  if (isRepositoryInternal(names)) return 'the contents of .git can be changed with git only';
  return size > MAX_CONTENT_BYTES ? `it is larger than ${MAX_CONTENT_BYTES} bytes` : undefined;
}

function checkFolders(files: ReadonlyMap<string, unknown>): void {
  for (const path of files.keys()) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (files.has(folder))
        throw new ToolFailure('invalid_input', `Nothing was unpacked: ${folder} is a file and a folder in the archive`);
    }
  }
}

async function writeAll(
  files: readonly PlannedFile[],
  { isForeign, unpack }: ReadArchive,
  { overwrite, context }: { readonly overwrite: boolean; readonly context: ToolContext },
): Promise<void> {
  let written = 0;
  for (const batch of batchesOf(files)) {
    const contents = await unpack(batch.map(({ place }) => place));
    for (const [index, { target }] of batch.entries()) {
      context.signal.throwIfAborted();
      const content = contents[index] ?? Buffer.alloc(0);
      try {
        await context.workspace.write(target, content, { overwrite, createFolders: true, isForeign });
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        const where = `${target.join('/')} (${written} of ${files.length} files were unpacked before)`;
        throw new ToolFailure(error.kind, `${where}: ${error.message}`, { cause: error });
      }
      written += 1;
    }
  }
}

function* batchesOf(files: readonly PlannedFile[]): Generator<readonly PlannedFile[], void, undefined> {
  let [batch, bytes]: [PlannedFile[], number] = [[], 0];
  for (const file of files) {
    if (batch.length > 0 && (bytes + file.size > BATCH.bytes || batch.length === BATCH.files)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(file);
    bytes += file.size;
  }
  yield batch;
}
