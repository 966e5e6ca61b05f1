import { z } from 'zod';
import { type ArchiveEntry, type ArchiveFormat, MAX_CONTENT_BYTES, type PackedFile } from '../../compute/job.ts';
import type { ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolOutput } from '../../tool.ts';
import { filePath, folderPath, isRepositoryInternal, type WorkspacePath } from '../../workspace/workspace-path.ts';
import type { Entry } from '../../workspace/workspace.ts';
import { markingFailures } from '../data/compute-over-file.ts';
import { pathParameter } from '../parameters.ts';

const MAX_PATHS = 100;
const VERBS = { create: 'Packing', list: 'Listing', extract: 'Unpacking' } as const;

/** Packs and unpacks archives. Repeated, it writes the same files again. */
export const archive = defineTool({
  key: 'archive',
  name: 'Archive',
  description:
    'Packs files and folders of the workspace into a ZIP or tar archive, lists the contents of an archive, or unpacks it.',
  category: 'filesystem',
  parameters: z.strictObject({
    action: z.enum(['create', 'list', 'extract']).describe('What to do.'),
    archive: pathParameter('Path of the archive; to create one, its end is `.zip`, `.tar`, `.tar.gz` or `.tgz`.'),
    paths: z
      .array(z.string().min(1).max(1024))
      .min(1)
      .max(MAX_PATHS)
      .optional()
      .describe('Files and folders: for create what to pack, for extract the only ones to unpack.'),
    to: z
      .string()
      .max(1024)
      .optional()
      .describe('For extract: the folder to unpack into; the workspace when left out.'),
    overwrite: z.boolean().optional().describe('Whether files that are there may be replaced; false when left out.'),
  }),
  effect: 'keyed',
  effectOf: ({ action }) => (action === 'list' ? 'read' : 'keyed'),
  timeoutSeconds: 120,
  label: ({ action, archive: path }) => `${VERBS[action]} ${path}`,
  run: async ({ action, archive: path, paths, to = '', overwrite = false }, context) =>
    context.runLargeWork(async () => {
      if (action === 'list') return listArchive(path, context);
      if (action === 'extract') return extractArchive({ archive: path, paths, to, overwrite }, context);
      return createArchive({ archive: path, paths, overwrite }, context);
    }),
});

const MAX_FILES = 2_000;
const MAX_BYTES = 30_000_000;
const EVERYTHING = { maxDepth: 64, limit: MAX_FILES + 1 };
const SIBLINGS = { maxDepth: 1, limit: 20_000 };

const FORMATS: readonly (readonly [end: string, format: ArchiveFormat])[] = [
  ['.zip', 'zip'],
  ['.tar', 'tar'],
  ['.tar.gz', 'tar.gz'],
  ['.tgz', 'tar.gz'],
];

interface Creation {
  readonly archive: string;
  readonly paths: readonly string[] | undefined;
  readonly overwrite: boolean;
}

/** Packs files and folders, under their paths in the workspace. Links are left out. */
async function createArchive({ archive, paths = [], overwrite }: Creation, context: ToolContext): Promise<ToolOutput> {
  const target = filePath(archive);
  const format = formatOf(archive);
  if (paths.length === 0) throw new ToolFailure('invalid_input', 'Give the paths of the files and folders to pack');
  const sources = await sourcesOf(paths, target.join('/'), context);
  const files: PackedFile[] = [];
  let isForeign = false;
  let room = MAX_BYTES;
  for (const { path, modifiedAt } of sources) {
    context.signal.throwIfAborted();
    const content = await context.workspace.read(filePath(path), Math.max(0, room));
    room -= content.length;
    isForeign ||= await context.workspace.isForeign(filePath(path));
    files.push({ path, content: content.toString('base64'), modifiedAt: modifiedAt.getTime() });
  }
  const packed = z.string().parse(JSON.parse(await context.compute({ kind: 'pack', format, files })));
  const bytes = Buffer.from(packed, 'base64');
  await context.workspace.write(target, bytes, { overwrite, createFolders: true, isForeign });
  return { value: { archive, files: files.length, bytes: bytes.length, unpacked_bytes: MAX_BYTES - room } };
}

function formatOf(archive: string): ArchiveFormat {
  const found = FORMATS.find(([end]) => archive.toLowerCase().endsWith(end));
  if (found !== undefined) return found[1];
  throw new ToolFailure('invalid_input', 'The name of the archive must end with .zip, .tar, .tar.gz or .tgz');
}

// The archive itself may lie in a folder that is packed; a repeated call would pack it.
async function sourcesOf(paths: readonly string[], target: string, context: ToolContext): Promise<Entry[]> {
  const sources = new Map<string, Entry>();
  for (const path of paths) {
    for (const entry of await filesAt(path, context)) if (entry.path !== target) sources.set(entry.path, entry);
    if (sources.size > MAX_FILES)
      throw new ToolFailure('invalid_input', `An archive contains at most ${MAX_FILES} files; name fewer`);
  }
  const total = [...sources.values()].reduce((sum, { size }) => sum + size, 0);
  if (total > MAX_BYTES)
    throw new ToolFailure('invalid_input', `The files have ${total} bytes; at most ${MAX_BYTES} can be packed`);
  if (sources.size === 0) throw new ToolFailure('not_found', 'There are no files at these paths');
  return [...sources.values()];
}

async function filesAt(path: string, { workspace, signal }: ToolContext): Promise<readonly Entry[]> {
  const names = folderPath(path);
  const whole = names.join('/');
  if (names.length > 0) {
    const { entries } = await workspace.list(names.slice(0, -1), SIBLINGS, signal);
    const entry = entries.find((each) => each.path === whole);
    if (entry === undefined) throw new ToolFailure('not_found', `There is nothing at ${whole}`);
    if (entry.type === 'file') return [entry];
    if (entry.type !== 'folder') throw new ToolFailure('denied', `${whole} is a link, which is not followed`);
  }
  const { entries } = await workspace.list(names, EVERYTHING, signal);
  return entries.filter(({ type }) => type === 'file');
}

/** An archive of the workspace, as it is read. */
interface ReadArchive {
  readonly entries: readonly ArchiveEntry[];
  /** Whether what is in it comes from outside. */
  readonly isForeign: boolean;
  /** Returns the contents of entries by their indexes, in the same order. */
  unpack(indexes: readonly number[]): Promise<Buffer[]>;
}

/** Reads an archive of the workspace, and does some work with it whose errors may name what is in it. */
async function withArchive<T>(
  archive: string,
  context: ToolContext,
  work: (read: ReadArchive) => Promise<T>,
): Promise<T> {
  const path = filePath(archive);
  return markingFailures(
    context,
    () => [path],
    async () => {
      const content = (await context.workspace.read(path, MAX_CONTENT_BYTES)).toString('base64');
      // Asked after reading: writers set the mark before the content.
      const isForeign = await context.workspace.isForeign(path);
      const entries = entriesSchema.parse(JSON.parse(await context.compute({ kind: 'list_archive', content })));
      const unpack = async (indexes: readonly number[]) => {
        const json = await context.compute({ kind: 'unpack', content, indexes });
        return contentsSchema.parse(JSON.parse(json)).map((each) => Buffer.from(each, 'base64'));
      };
      return work({ entries, isForeign, unpack });
    },
  );
}

/** Lists the content of an archive. */
async function listArchive(archive: string, context: ToolContext): Promise<ToolOutput> {
  return withArchive(archive, context, async ({ entries, isForeign }) => {
    const files = entries.filter(({ type }) => type !== 'folder');
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    return { value: { files: files.length, bytes, entries: files.map(shown) }, isForeign };
  });
}

function shown({ path, size, type, isLocked }: ArchiveEntry) {
  return { path, size, ...(type !== 'file' && { type }), ...(isLocked && { locked: true }) };
}

const entriesSchema = z.array(
  z.object({
    path: z.string(),
    size: z.number(),
    type: z.enum(['file', 'folder', 'link', 'other']),
    isLocked: z.boolean(),
  }),
);

const contentsSchema = z.array(z.string());

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
  readonly index: number;
  readonly size: number;
  readonly target: WorkspacePath;
}

/**
 * Unpacks an archive. Nothing is written when a name in it leads out of the folder, or when it is encrypted; links,
 * devices and the files of repositories themselves are left out.
 */
async function extractArchive(
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
  for (const [index, entry] of entries.entries()) {
    const names = namesOf(entry);
    if (entry.type === 'folder' || !isWanted(names, wanted)) continue;
    const reason = whyLeftOut(entry, names);
    if (reason !== undefined) leftOut.push({ path: entry.path, reason });
    // Of two entries with one name, the later one counts.
    else files.set(names.join('/'), { index, size: entry.size, target: [...folder, ...names] });
  }
  if (files.size === 0) throw new ToolFailure('not_found', nothingIn(entries, leftOut));
  checkFolders(files);
  return { files: [...files.values()], leftOut };
}

function nothingIn(entries: readonly ArchiveEntry[], leftOut: Plan['leftOut']): string {
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))].join(', ');
  if (reasons !== '') return `Nothing can be unpacked: ${reasons}`;
  return entries.every(({ type }) => type === 'folder')
    ? 'The archive contains no files'
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
    const contents = await unpack(batch.map(({ index }) => index));
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
