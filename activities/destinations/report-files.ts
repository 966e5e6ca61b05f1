import { z } from 'zod';
import { formatBytes } from '../../domain/core/text.ts';
import {
  type ComputeJob,
  filePath,
  folderPath,
  ToolFailure,
  type Workspace,
  workspaceOf,
  type WorkspaceDeps,
} from '../tools/index.ts';
import type { ReportFile } from './report.ts';

/** The most files that go with a report, and the most bytes of all of them. */
const MAX_FILES = 10;
const MAX_BYTES = 10 * 1024 ** 2;
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
}

/** Reads the files that match the globs from the workspace of a chat, within the limits of a report. */
export async function gatherFiles(
  deps: WorkspaceDeps,
  { orgId, chatId, globs }: FileQuery,
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
    );
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { files: [], omitted: [`the files, which could not be read: ${error.message}`] };
  }
}

async function readFiles(
  workspace: Workspace,
  entries: readonly { readonly path: string; readonly size: number }[],
): Promise<GatheredFiles> {
  const files: ReportFile[] = [];
  const omitted: string[] = [];
  let room = MAX_BYTES;
  for (const { path, size } of entries) {
    if (files.length === MAX_FILES || size > room) {
      if (omitted.length < MAX_FILES) omitted.push(`${path} (${formatBytes(size)})`);
      continue;
    }
    const content = await workspace.read(filePath(path), room);
    room -= content.length;
    files.push({ name: path.slice(path.lastIndexOf('/') + 1), content });
  }
  const rest = entries.length - files.length - omitted.length;
  return { files, omitted: rest > 0 ? [...omitted, `${rest} more`] : omitted };
}
