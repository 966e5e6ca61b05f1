import { z } from 'zod';
import type { SecretBox } from '../../db/core/secret-box.ts';
import { FILE_LINK_DAYS, sealFileLink, storedVersionsOf } from '../../db/destinations/file-links.ts';
import { REPORT_FILE_PATH } from '../../domain/destinations.ts';
import { workspacePathOf } from '../../domain/workspace-links.ts';
import { unescapeHtml } from '../../domain/core/text.ts';
import type { ComputeJob } from '../tools/compute/job.ts';
import { filePath, folderPath } from '../tools/workspace/workspace-path.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import type { Entry, Workspace } from '../tools/workspace/workspace.ts';
import { type WorkspaceDeps, workspaceOf } from '../tools/operations/tool-context.ts';
import { isPicture } from './pictures.ts';
import { nameOf, NO_FILES, type Report, type ReportFile, type ReportPicture, type UnattachedFile } from './report.ts';

/** How many files may be attached, how many bytes of all of them, and how many others are named or have a link. */
export interface FileRoom {
  readonly files: number;
  readonly bytes: number;
  readonly unattached: number;
}

/** The room for files in one message. */
export const WHOLE_ROOM: FileRoom = { files: 10, bytes: 10 * 1024 ** 2, unattached: 10 };

/** The room in a message that is sent without files, which it names. */
export const NO_ROOM: FileRoom = { ...WHOLE_ROOM, files: 0, bytes: 0 };

const EVERYTHING = { maxDepth: 64, limit: 20_000 };
const ALWAYS_IGNORED = { folder: '', rules: '.git/\nnode_modules/' };
const matches = z.array(z.int());
const DAY_MS = 24 * 60 * 60 * 1000;

type ReportFiles = Pick<Report, 'files' | 'pictures' | 'unattached'>;

/** The files of a report, and words about those that are not even named, and about globs that match none. */
interface GatheredFiles extends ReportFiles {
  readonly omitted: readonly string[];
}

/** The dependencies of gathering the files of a report. */
export interface GatherDeps extends WorkspaceDeps {
  readonly box: SecretBox;
  /** The URL of the console. */
  readonly publicUrl: string;
}

interface FileQuery {
  readonly orgId: string;
  readonly deliveryId: string;
  readonly chatId: string;
  readonly globs: readonly string[];
  /** The addresses of the pictures in the body of the report. */
  readonly addresses: readonly string[];
  readonly room: FileRoom;
}

/** Reads the files that match the globs from the workspace of a chat, within the limits of a report. */
export async function gatherFiles(
  deps: GatherDeps,
  query: FileQuery,
  compute: (job: ComputeJob) => Promise<string>,
  signal: AbortSignal,
): Promise<GatheredFiles> {
  const { orgId, chatId, globs, addresses, room } = query;
  const workspace = workspaceOf(deps, { orgId, workspaceChatId: chatId }, signal);
  try {
    const all = await listFiles(workspace, signal);
    const shown = await readPictures(workspace, all, addresses, room);
    const { found, unmatched } = await matching(all, globs, compute);
    const wanted = found.filter(({ path }) => !shown.paths.has(path));
    const { files, left } = await readFiles(workspace, wanted, roomAfter(room, { ...NO_FILES, ...shown }));
    const named = left.slice(0, room.unattached);
    const unattached = await withLinks(deps, query, named);
    const more = left.length - named.length;
    const omitted = [...(more > 0 ? [`${more} more`] : []), ...unmatched.map(matchesNothing)];
    return { files, pictures: shown.pictures, unattached, omitted };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { ...NO_FILES, omitted: [`the files, which could not be read: ${error.message}`] };
  }
}

/** Returns the room that the files of a report leave. */
export function roomAfter(room: FileRoom, { files, pictures, unattached }: ReportFiles): FileRoom {
  const attached = [...files, ...pictures];
  return {
    files: room.files - attached.length,
    bytes: attached.reduce((left, { content }) => left - content.length, room.bytes),
    unattached: room.unattached - unattached.length,
  };
}

/** Returns the files of a workspace. */
export async function listFiles(workspace: Workspace, signal: AbortSignal): Promise<readonly Entry[]> {
  const { entries } = await workspace.list(folderPath('.'), EVERYTHING, signal);
  return entries.filter(({ type }) => type === 'file');
}

async function matching(
  all: readonly Entry[],
  globs: readonly string[],
  compute: (job: ComputeJob) => Promise<string>,
): Promise<{ readonly found: readonly Entry[]; readonly unmatched: readonly string[] }> {
  const paths = all.map(({ path }) => path);
  const wanted = new Set<number>();
  const unmatched: string[] = [];
  for (const pattern of globs) {
    const job = { kind: 'glob', pattern, paths, ignoreFiles: [ALWAYS_IGNORED] } as const;
    const indexes = matches.parse(JSON.parse(await compute(job)));
    if (indexes.length === 0) unmatched.push(pattern);
    for (const index of indexes) wanted.add(index);
  }
  const found = [...wanted].toSorted((one, other) => one - other).flatMap((index) => all[index] ?? []);
  return { found, unmatched };
}

/** Returns what is said of a glob that no file matches. */
export function matchesNothing(glob: string): string {
  return `\`${glob}\`, which matches no file`;
}

async function readPictures(
  workspace: Workspace,
  all: readonly Entry[],
  addresses: readonly string[],
  room: FileRoom,
): Promise<{ readonly pictures: readonly ReportPicture[]; readonly paths: ReadonlySet<string> }> {
  const byPath = Map.groupBy(addresses, (address) => workspacePathOf(unescapeHtml(address)) ?? '');
  const named = all.filter(({ path }) => byPath.has(path)).slice(0, room.files);
  const pictures: ReportPicture[] = [];
  const paths = new Set<string>();
  let left = room.bytes;
  for (const { path } of named) {
    const content = await readUpTo(workspace, path, left);
    if (content === undefined || !isPicture(content)) continue;
    left -= content.length;
    pictures.push({ name: nameOf(path), addresses: byPath.get(path) ?? [], content });
    paths.add(path);
  }
  return { pictures, paths };
}

/** Reads files as far as the room goes; `left` has the others. */
export async function readFiles(
  workspace: Workspace,
  entries: readonly Entry[],
  room: FileRoom,
): Promise<{ readonly files: readonly ReportFile[]; readonly left: readonly Entry[] }> {
  const files: ReportFile[] = [];
  const left: Entry[] = [];
  let bytes = room.bytes;
  for (const entry of entries) {
    const { path, size } = entry;
    const content = files.length < room.files && size <= bytes ? await readUpTo(workspace, path, bytes) : undefined;
    if (content === undefined) left.push(entry);
    else {
      bytes -= content.length;
      files.push({ name: nameOf(path), content });
    }
  }
  return { files, left };
}

/** Reads a file; undefined when it has become larger, is gone, or has a name that no tool takes. */
async function readUpTo(workspace: Workspace, path: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    return await workspace.read(filePath(path), maxBytes);
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}

async function withLinks(
  { database, box, publicUrl }: GatherDeps,
  { orgId, deliveryId, chatId }: FileQuery,
  entries: readonly Entry[],
): Promise<UnattachedFile[]> {
  if (entries.length === 0) return [];
  const paths = entries.map(({ path }) => path);
  const versions = await storedVersionsOf(database, { orgId, chatId }, paths);
  const expiresAt = new Date(Date.now() + FILE_LINK_DAYS * DAY_MS);
  return entries.map(({ path, size: bytes }) => {
    const version = versions.get(path);
    if (version === undefined) return { path, bytes, link: null };
    const token = sealFileLink(box, { orgId, deliveryId, ...version, expiresAt });
    return { path, bytes, link: { url: `${publicUrl}${REPORT_FILE_PATH.replace('{token}', token)}`, expiresAt } };
  });
}
