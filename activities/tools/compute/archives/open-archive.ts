import { type OpenArchive, refusing, tooLarge, tooMany } from './archive.ts';
import { openTar } from './open-tar.ts';
import { openZip } from './open-zip.ts';

const MAX_ENTRIES = 5_000;
/** What an archive may unpack to: as much as its size makes likely, and never more than the last one. */
const MAX_RATIO = 100;
const ALWAYS_ALLOWED_BYTES = 10_000_000;
const MAX_UNPACKED_BYTES = 100_000_000;

/** Opens a ZIP or tar archive, by what its bytes say it is. Throws for any other, and for one that holds too much. */
export async function openArchive(bytes: Buffer): Promise<OpenArchive> {
  const likely = Math.max(ALWAYS_ALLOWED_BYTES, bytes.length * MAX_RATIO);
  const bounds = { entries: MAX_ENTRIES, bytes: Math.min(likely, MAX_UNPACKED_BYTES) };
  const open = bytes.subarray(0, 2).toString('latin1') === 'PK' ? openZip : openTar;
  const { entries, read } = await refusing(async () => open(bytes, bounds));
  if (entries.length > bounds.entries) throw tooMany(bounds);
  if (entries.reduce((sum, { size }) => sum + size, 0) > bounds.bytes) throw tooLarge(bounds);
  return { entries, read: async (places) => refusing(async () => read(places)) };
}
