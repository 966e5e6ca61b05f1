import { z } from 'zod';
import { formatBytes } from '../../domain/core/text.ts';
import type { ComputeJob } from '../tools/compute/job.ts';
import { filePath, folderPath } from '../tools/workspace/workspace-path.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import type { Workspace } from '../tools/workspace/workspace.ts';
import { type WorkspaceDeps, workspaceOf } from '../tools/operations/tool-context.ts';
import type { ReportFile } from './report.ts';

/** How many files may be attached, and how many bytes of all of them. */
export interface FileRoom {
  readonly files: number;
  readonly bytes: number;
}

/** What goes with one message. */
export const WHOLE_ROOM: FileRoom = { files: 10, bytes: 10 * 1024 ** 2 };

/** The files that are named at most as not attached. */
const MAX_NAMED = 10;
const EVERYTHING = { maxDepth: 64, limit: 20_000 };
const ALWAYS_IGNORED = { folder: '', rules: '.git/\nnode_modules/' };
const matches = z.array(z.int());

/** The files of a report, and descriptions of those that are not attached. */
interface GatheredFiles {
  readonly files: readonly ReportFile[];
  readonly omitted: readonly string[];
}

interface FileQuery {
  readonly orgId: string;
  readonly chatId: string;
  readonly globs: readonly string[];
  readonly room: FileRoom;
}

/** Reads the files that match the globs from the workspace of a chat, within the limits of a report. */
export async function gatherFiles(
  deps: WorkspaceDeps,
  { orgId, chatId, globs, room }: FileQuery,
  compute: (job: ComputeJob) => Promise<string>,
  signal: AbortSignal,
): Promise<GatheredFiles> {
  const workspace = workspaceOf(deps, { orgId, workspaceChatId: chatId }, signal);
  try {
    const { entries } = await workspace.list(folderPath('.'), EVERYTHING, signal);
    const all = entries.filter(({ type }) => type === 'file');
    const paths = all.map(({ path }) => path);
    const wanted = new Set<number>();
    for (const pattern of globs) {
      const job = { kind: 'glob', pattern, paths, ignoreFiles: [ALWAYS_IGNORED] } as const;
      for (const index of matches.parse(JSON.parse(await compute(job)))) wanted.add(index);
    }
    return await readFiles(
      workspace,
      [...wanted].toSorted((one, other) => one - other).flatMap((index) => all[index] ?? []),
      room,
    );
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { files: [], omitted: [`the files, which could not be read: ${error.message}`] };
  }
}

async function readFiles(
  workspace: Workspace,
  entries: readonly { readonly path: string; readonly size: number }[],
  room: FileRoom,
): Promise<GatheredFiles> {
  const files: ReportFile[] = [];
  const omitted: string[] = [];
  let left = room.bytes;
  for (const { path, size } of entries) {
    if (files.length === room.files || size > left) {
      if (omitted.length < MAX_NAMED) omitted.push(`${path} (${formatBytes(size)})`);
      continue;
    }
    const content = await workspace.read(filePath(path), left);
    left -= content.length;
    files.push({ name: path.slice(path.lastIndexOf('/') + 1), content });
  }
  const rest = entries.length - files.length - omitted.length;
  return { files, omitted: rest > 0 ? [...omitted, `${rest} more`] : omitted };
}
