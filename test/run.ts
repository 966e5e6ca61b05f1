import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onStopRequest } from '../scripts/stack/core/on-stop-request.ts';
import { endTree } from './support/end-tree.ts';

// Runs jest with the given arguments and ends with one plain line that says how many tests passed, failed and were
// skipped. Jest itself goes on printing after its last reporter. One that does not end by itself then, because a test
// or the product has left something open, is ended, and the run has failed. A run that is stopped leaves no server and
// no data behind: jest would end at once and leave both.

/** How long jest may take to end after its last test; it also stops the servers that the tests shared. */
const END_LIMIT_MS = 30_000;

const folder = mkdtempSync(join(tmpdir(), 'everturn-test-run-'));
// Passable by others: as root, PostgreSQL runs under another user.
chmodSync(folder, 0o711);
const countsFile = join(folder, 'counts');
const data = join(folder, 'data');
mkdirSync(data, { mode: 0o711 });
const jest = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url));
const child = spawn(process.execPath, [jest, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, TMPDIR: data, EVERTURN_TEST_COUNTS: countsFile },
  // A group of its own, which no signal reaches but those from here.
  detached: true,
});
let ending: Promise<void> | undefined;
const end = (): void => {
  ending ??= endTree(child).catch((error: unknown) => console.error(error));
};
onStopRequest(end);

let isStuck = false;
const watch = setInterval(() => {
  if (!existsSync(countsFile)) return;
  clearInterval(watch);
  setTimeout(() => {
    isStuck = true;
    end();
  }, END_LIMIT_MS).unref();
}, 500);

child.on('close', (code) => void close(code ?? 1));

async function close(code: number): Promise<never> {
  clearInterval(watch);
  await ending;
  const counts = readCounts();
  rmSync(folder, { recursive: true, force: true });
  if (isStuck) console.log(`Jest did not end within ${END_LIMIT_MS / 1000} seconds of its last test.`);
  console.log(`\n${counts}`);
  process.exit(code);
}

function readCounts(): string {
  try {
    return readFileSync(countsFile, 'utf8');
  } catch {
    // It was ended before it had counted.
    return '0 passed, 1 failed, 0 skipped';
  }
}
