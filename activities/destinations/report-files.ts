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

/** The files of a report, and words about those that do not go with it. */
interface GatheredFiles {
  readonly files: readonly ReportFile[];
  readonly left: readonly string[];
}

interface FileQuery {
  readonly orgId: string;
  readonly chatId: string;
  readonly globs: readonly string[];
}

/** Reads the files that globs name from the workspace of a chat, as far as they may go with a report. */
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
      for (const place of matches.parse(JSON.parse(await compute(job)))) wanted.add(place);
    }
    return await readFiles(
      workspace,
      [...wanted].toSorted((one, other) => one - other).flatMap((place) => all[place] ?? []),
    );
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { files: [], left: [`the files, which could not be read: ${error.message}`] };
  }
}

async function readFiles(
  workspace: Workspace,
  entries: readonly { readonly path: string; readonly size: number }[],
): Promise<GatheredFiles> {
  const files: ReportFile[] = [];
  const left: string[] = [];
  let room = MAX_BYTES;
  for (const { path, size } of entries) {
    if (files.length === MAX_FILES || size > room) {
      if (left.length < MAX_FILES) left.push(`${path} (${formatBytes(size)})`);
      continue;
    }
    const content = await workspace.read(filePath(path), room);
    room -= content.length;
    files.push({ name: path.slice(path.lastIndexOf('/') + 1), content });
  }
  const rest = entries.length - files.length - left.length;
  return { files, left: rest > 0 ? [...left, `${rest} more`] : left };
}
