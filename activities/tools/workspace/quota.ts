import { mkdir, opendir, statfs, unlink } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { ToolFailure } from '../tool-failure.ts';
import { errnoOf, type Folder } from './descriptors/folder.ts';
import { isTemporary } from './descriptors/replace-file.ts';
import { walk } from './descriptors/walk.ts';

/** Limits of one workspace, and of all of the owner's organizations together. */
export interface Quota {
  readonly bytes: number;
  /** Files and folders, and the records of edits beside them. */
  readonly files: number;
  readonly owner?: OwnerSpace;
}

/** The space that the workspaces of an owner's organizations share; several processes write to it. */
interface OwnerSpace {
  /** The organization that this workspace belongs to. */
  readonly orgId: string;
  readonly bytes: number;
  /** Records the size of this workspace, and returns the total of all that share the space. */
  note(bytes: number): Promise<number>;
}

/** A workspace: its folder's path, the folder, and that of the records of its edits. */
export interface Measured {
  readonly id: string;
  readonly folder: Folder;
  readonly records: string;
}

interface Usage {
  bytes: number;
  files: number;
  readonly measuredAt: number;
  readonly orgId: string | undefined;
  /** Space that was claimed since `OwnerSpace` was updated. */
  unnoted: number;
}

/** How long a measurement is used: other processes write too, and a measurement visits every file. */
const MEASURED_FOR_MS = 10_000;
/** A file that has been in writing for this long belongs to a process that is gone. */
const ABANDONED_AFTER_MS = 3_600_000;
const MAX_DEPTH = 64;
const MAX_REMEMBERED = 1_000;
/** Bytes that may be written before the other processes are notified. */
const NOTED_FROM_BYTES = 64 * 1024;

const usages = new LRUCache<string, Usage>({ max: MAX_REMEMBERED });
/** The last known total of the workspaces of each organization's owner, by the organization. */
const ownerBytes = new LRUCache<string, number>({
  max: MAX_REMEMBERED,
  dispose: (_bytes, orgId, reason) => reason === 'evict' && forgetWorkspaces(orgId),
});

/** Claims `bytes` and `names` of the workspace's quota; throws when it, or the space of its owner, is full. */
export async function claimSpace(
  workspace: Measured,
  quota: Quota,
  { bytes, names }: { readonly bytes: number; readonly names: number },
): Promise<void> {
  const usage = await currentUsage(workspace, quota);
  if (usage.bytes + bytes > quota.bytes) throw full('workspace', `${quota.bytes} bytes`);
  if (usage.files + names > quota.files) throw full('workspace', `${quota.files} files and folders`);
  if (quota.owner !== undefined && storedBytesOf(quota.owner) + bytes > quota.owner.bytes)
    throw full(
      "space of the organization's owner",
      `${quota.owner.bytes} bytes in all chats of all their organizations, with what was replaced or deleted within the last hour beyond 1 GB`,
    );
  usage.bytes += bytes;
  usage.files += names;
  usage.unnoted += bytes;
  if (usage.unnoted >= NOTED_FROM_BYTES) await note(usage, quota);
}

/** Measures the workspace again after a removal. */
export async function releaseSpace(workspace: Measured, quota: Quota): Promise<void> {
  usages.delete(workspace.id);
  if (quota.owner !== undefined) await currentUsage(workspace, quota);
}

/** Forgets the size of a workspace that others have changed; the next write measures it. */
export function forgetUsage(id: string): void {
  usages.delete(id);
}

function full(what: string, limit: string): ToolFailure {
  return new ToolFailure('denied', `The ${what} is full: its limit is ${limit}; delete files you do not need`);
}

// The noted total, and what this process has allowed since.
function storedBytesOf({ orgId }: OwnerSpace): number {
  let bytes = ownerBytes.get(orgId) ?? 0;
  for (const usage of usages.values()) if (usage.orgId === orgId) bytes += usage.unnoted;
  return bytes;
}

async function note(usage: Usage, { owner }: Quota): Promise<void> {
  if (owner === undefined) return;
  const { unnoted } = usage;
  usage.unnoted = 0;
  try {
    ownerBytes.set(owner.orgId, await owner.note(usage.bytes));
  } catch (error) {
    usage.unnoted += unnoted;
    throw error;
  }
}

// A forgotten organization must not be taken for empty: the next write measures its workspace and notes it.
function forgetWorkspaces(orgId: string): void {
  const forgotten = [...usages].filter(([, usage]) => usage.orgId === orgId);
  for (const [id] of forgotten) usages.delete(id);
}

async function currentUsage(workspace: Measured, quota: Quota): Promise<Usage> {
  const known = usages.get(workspace.id);
  if (known !== undefined && performance.now() - known.measuredAt < MEASURED_FOR_MS) return known;
  const measured = await measure(workspace, quota);
  await note(measured, quota);
  usages.set(workspace.id, measured);
  return measured;
}

async function measure({ folder: root, records }: Measured, quota: Quota): Promise<Usage> {
  const measuredAt = performance.now();
  const usage: Usage = { bytes: 0, files: 0, measuredAt, orgId: quota.owner?.orgId, unnoted: 0 };
  for await (const { folder, name, stats } of walk(root, { maxDepth: MAX_DEPTH, maxNames: quota.files + 1 })) {
    if (isTemporary(name) && Date.now() - stats.mtimeMs > ABANDONED_AFTER_MS) {
      await unlink(folder.at(name)).catch(() => undefined);
      continue;
    }
    usage.files += 1;
    if (stats.isFile()) usage.bytes += stats.size;
  }
  usage.files += await countNames(records, quota.files);
  return usage;
}

// Without such a folder no edit was made.
async function countNames(path: string, limit: number): Promise<number> {
  let names = 0;
  try {
    for await (const _entry of await opendir(path)) {
      names += 1;
      if (names === limit) break;
    }
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  return names;
}

/** Returns what is free on the disk of a folder, which is created; null when that cannot be read. */
export async function freeBytesOf(folder: string): Promise<number | null> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
