import { z } from 'zod';
import type { ArchiveFormat, PackedFile } from '../../../compute/job.ts';
import type { ToolContext } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import type { ToolOutput } from '../../../tool.ts';
import { filePath, folderPath } from '../../../workspace/workspace-path.ts';
import type { Entry } from '../../../workspace/workspace.ts';

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
export async function createArchive(
  { archive, paths = [], overwrite }: Creation,
  context: ToolContext,
): Promise<ToolOutput> {
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
      throw new ToolFailure('invalid_input', `An archive holds at most ${MAX_FILES} files; name fewer`);
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
