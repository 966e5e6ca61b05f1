import { z } from 'zod';
import { UPLOADS } from '../../domain/files.ts';
import { workspacePathOf } from '../../domain/workspace-links.ts';
import type { ComputeJob } from '../tools/compute/job.ts';
import { type WorkspaceDeps, workspaceOf } from '../tools/operations/tool-context.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import { NO_FILES, type Report } from './report.ts';
import { type FileRoom, listFiles, readFiles } from './report-files.ts';

/** The most addresses of an answer that are checked. */
const MAX_LINKS = 200;
const addresses = z.array(z.string());

/** Returns the paths of the workspace that the links and pictures of an answer lead to, as the console shows them. */
export async function linkedPaths(
  markdown: string,
  compute: (job: ComputeJob) => Promise<string>,
): Promise<readonly string[]> {
  // Most answers have none.
  if (!markdown.includes('](') && !markdown.includes(']:')) return [];
  const found = addresses.parse(JSON.parse(await compute({ kind: 'markdown_links', markdown, limit: MAX_LINKS })));
  return found.flatMap((address) => workspacePathOf(address)?.normalize('NFC') ?? []);
}

interface LinkedFiles {
  readonly orgId: string;
  readonly chatId: string;
  readonly paths: readonly string[];
  readonly room: FileRoom;
}

/**
 * Reads the files at these paths from the workspace of a chat, within the limits of a report. What is no file of it is
 * left out, and so are uploads, which people have sent themselves.
 */
export async function gatherLinked(
  deps: WorkspaceDeps,
  { orgId, chatId, paths, room }: LinkedFiles,
  signal: AbortSignal,
): Promise<Pick<Report, 'files' | 'unattached'>> {
  const wanted = new Set(paths.filter((path) => !path.startsWith(`${UPLOADS}/`)));
  const workspace = workspaceOf(deps, { orgId, workspaceChatId: chatId }, signal);
  try {
    const linked = (await listFiles(workspace, signal)).filter(({ path }) => wanted.has(path));
    const { files, left } = await readFiles(workspace, linked, room);
    const named = left.slice(0, room.unattached);
    return { files, unattached: named.map(({ path, size: bytes }) => ({ path, bytes, link: null })) };
  } catch (error) {
    if (error instanceof ToolFailure && (error.kind === 'not_found' || room.files === 0)) return NO_FILES;
    throw error;
  }
}
