import { unlink } from 'node:fs/promises';
import { ToolFailure } from '../tool-failure.ts';
import type { Folder } from './folder.ts';
import { isTemporary } from './replace-file.ts';
import { walk } from './walk.ts';

/** What one workspace may hold. */
export interface Quota {
  readonly bytes: number;
  readonly files: number;
}

interface Usage {
  bytes: number;
  files: number;
  readonly measuredAt: number;
}

/** How long a measurement serves: others than this process write too, and a measurement looks at every file. */
const MEASURED_FOR_MS = 10_000;
/** A file that has been written for so long belongs to a process that is gone. */
const ABANDONED_AFTER_MS = 3_600_000;
const MAX_DEPTH = 64;
const MAX_REMEMBERED = 1_000;

const usages = new Map<string, Usage>();

/** Counts `bytes` more towards what the workspace `id`, which is `folder`, may hold; refuses when it is full. */
export async function claimSpace(id: string, folder: Folder, quota: Quota, bytes: number): Promise<void> {
  const usage = await currentUsage(id, folder, quota);
  if (usage.bytes + bytes > quota.bytes) {
    throw new ToolFailure(
      'denied',
      `The workspace is full: it may hold ${quota.bytes} bytes; delete what is not needed`,
    );
  }
  if (usage.files + 1 > quota.files) {
    throw new ToolFailure(
      'denied',
      `The workspace is full: it may hold ${quota.files} files; delete what is not needed`,
    );
  }
  usage.bytes += bytes;
  usage.files += 1;
}

/** Has the workspace measured again at the next claim, since something was taken away. */
export function forgetUsage(id: string): void {
  usages.delete(id);
}

async function currentUsage(id: string, folder: Folder, quota: Quota): Promise<Usage> {
  const known = usages.get(id);
  if (known !== undefined && performance.now() - known.measuredAt < MEASURED_FOR_MS) return known;
  const measured = await measure(folder, quota);
  if (usages.size >= MAX_REMEMBERED) usages.clear();
  usages.set(id, measured);
  return measured;
}

async function measure(root: Folder, quota: Quota): Promise<Usage> {
  const usage = { bytes: 0, files: 0, measuredAt: performance.now() };
  for await (const { folder, name, stats } of walk(root, { maxDepth: MAX_DEPTH, maxNames: quota.files + 1 })) {
    if (isTemporary(name) && Date.now() - stats.mtimeMs > ABANDONED_AFTER_MS) {
      await unlink(folder.at(name)).catch(() => undefined);
      continue;
    }
    usage.files += 1;
    if (stats.isFile()) usage.bytes += stats.size;
  }
  return usage;
}
