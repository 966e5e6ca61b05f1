import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a folder for programs of the operator, which every user may read: as root, the tests run them as another one.
 * It is on the disk, since the product takes no program from below `/dev`, where the temporary files of a run may be.
 */
export function makeProgramFolder(prefix: string): string {
  const folder = mkdtempSync(join(process.env['EVERTURN_TEST_DISK'] ?? tmpdir(), prefix));
  chmodSync(folder, 0o755);
  return folder;
}
