import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Runs jest with the given arguments and ends with one plain line that says how many tests passed, failed and were
// skipped. Jest itself goes on printing after its last reporter. One that does not end by itself then, because a test or
// the product has left something open, is ended, and the run has failed.

/** How long jest may take to end after its last test; it also stops the servers that the tests shared. */
const END_LIMIT_MS = 30_000;

const folder = mkdtempSync(join(tmpdir(), 'everturn-test-run-'));
const countsFile = join(folder, 'counts');
const jest = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url));
const child = spawn(process.execPath, [jest, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, EVERTURN_TEST_COUNTS: countsFile },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));

let isStuck = false;
const watch = setInterval(() => {
  if (!existsSync(countsFile)) return;
  clearInterval(watch);
  setTimeout(() => {
    isStuck = true;
    child.kill('SIGKILL');
  }, END_LIMIT_MS).unref();
}, 500);

child.on('close', (code) => {
  clearInterval(watch);
  if (isStuck) console.log(`Jest did not end within ${END_LIMIT_MS / 1000} seconds of its last test.`);
  console.log(`\n${readCounts()}`);
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = code ?? 1;
});

function readCounts(): string {
  try {
    return readFileSync(countsFile, 'utf8');
  } catch {
    // It was ended before it had counted.
    return '0 passed, 1 failed, 0 skipped';
  }
}
