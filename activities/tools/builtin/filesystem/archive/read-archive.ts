import { z } from 'zod';
import { type ArchiveEntry, MAX_CONTENT_BYTES } from '../../../compute/job.ts';
import type { ToolContext } from '../../../context.ts';
import type { ToolOutput } from '../../../tool.ts';
import { filePath } from '../../../workspace/workspace-path.ts';
import { markingFailures } from '../../marking-failures.ts';

/** An archive of the workspace, as it is read. */
export interface ReadArchive {
  readonly entries: readonly ArchiveEntry[];
  /** Whether what is in it comes from outside. */
  readonly isForeign: boolean;
  /** Returns the contents of entries by their places, in the same order. */
  unpack(places: readonly number[]): Promise<Buffer[]>;
}

/** Reads an archive of the workspace, and does some work with it whose errors may name what is in it. */
export async function withArchive<T>(
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
      const unpack = async (places: readonly number[]) => {
        const json = await context.compute({ kind: 'unpack', content, places });
        return contentsSchema.parse(JSON.parse(json)).map((each) => Buffer.from(each, 'base64'));
      };
      return work({ entries, isForeign, unpack });
    },
  );
}

/** Lists what an archive holds. */
export async function listArchive(archive: string, context: ToolContext): Promise<ToolOutput> {
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
