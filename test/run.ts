import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onStopRequest } from '../scripts/stack/core/on-stop-request.ts';
import { pathsWithoutTests } from './support/run/paths-without-tests.ts';
import { clearDeadRuns, endRun, makeRunFolder } from './support/run/run-folder.ts';

// Runs jest with the given arguments and ends with one plain line that says how many tests passed, failed and were
// skipped. Jest itself goes on printing after its last reporter. One that does not end by itself then, because a test
// or the product has left something open, is ended, and the run has failed. However a run ends, it leaves no server and
// no data behind; where all of its own processes were killed, the next run clears what is left.

/** How long jest may take to end after its last test; it also stops the servers that the tests shared. */
const END_LIMIT_MS = 180_000;

const args = process.argv.slice(2);
const isNamed = args.some((arg) => arg === '-t' || arg.startsWith('--testNamePattern'));
const missing = pathsWithoutTests(args);
if (missing.length > 0) {
  console.log(missing.join('\n'));
  console.log('\n0 passed, 1 failed, 0 skipped');
  process.exit(1);
}

const { folder, data } = makeRunFolder();
const countsFile = join(folder, 'counts');
const jest = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url));
const endWithParent = new URL('support/run/end-with-parent.ts', import.meta.url).href;
const cleared = clearDeadRuns();
const child = spawn(process.execPath, ['--import', endWithParent, jest, ...args], {
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: {
    ...process.env,
    TMPDIR: data,
    EVERTURN_TEST_RUN: folder,
    EVERTURN_TEST_DISK: folder,
    EVERTURN_TEST_COUNTS: countsFile,
  },
  // A group of its own, which no signal reaches but those from here.
  detached: true,
});
let isInterrupted = false;
onStopRequest(() => {
  isInterrupted = true;
  void endRun(folder);
});

let isStuck = false;
const watch = setInterval(() => {
  if (!existsSync(countsFile)) return;
  clearInterval(watch);
  setTimeout(() => {
    isStuck = true;
    void endRun(folder);
  }, END_LIMIT_MS).unref();
}, 500);

child.on('close', (code) => void close(code ?? 1));

async function close(code: number): Promise<never> {
  clearInterval(watch);
  const counts = readCounts();
  await Promise.all([cleared, endRun(folder)]);
  if (isStuck) console.log(`Jest did not end within ${END_LIMIT_MS / 1000} seconds of its last test.`);
  if (isInterrupted) console.log('The run was interrupted.');
  const isNothing = counts.startsWith('0 passed, 0 failed');
  if (isNothing && isNamed) console.log('No test ran: none has this name, or all that have it are skipped.');
  console.log(`\n${counts}`);
  if (isInterrupted) process.exit(130);
  process.exit(isNothing && isNamed ? 1 : code);
}

function readCounts(): string {
  try {
    return readFileSync(countsFile, 'utf8');
  } catch {
    // It was ended before it had counted.
    return '0 passed, 1 failed, 0 skipped';
  }
}
