import { mkdir, statfs } from 'node:fs/promises';

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
