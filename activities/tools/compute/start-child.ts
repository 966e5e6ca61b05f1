import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('child.ts', import.meta.url));

const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** What a child may read: its own code and the packages, and nothing of the service's data, which may lie beside them. */
const READABLE = [
  fileURLToPath(new URL('.', import.meta.url)),
  fileURLToPath(new URL('../../../package.json', import.meta.url)),
  // The packages may be reached by a link.
  join(PACKAGES, '/'),
  join(realpathSync(PACKAGES), '/'),
];

const NODE_OPTIONS = [
  '--disable-warning=ExperimentalWarning',
  '--max-old-space-size=192',
  '--max-semi-space-size=16',
  '--stack-size=3900',
  // Libraries that a hostile expression has got the better of find nothing to work with.
  '--permission',
  ...READABLE.map((path) => `--allow-fs-read=${path}`),
  '--disallow-code-generation-from-strings',
  '--no-addons',
];

/**
 * No core dumps, no files written, few descriptors, seconds of processor time, and kilobytes of memory, the heap and what
 * lies outside it: V8 reserves some 600 MB of them and uses a tenth. A limit that the system does not know is left out.
 */
const LIMITS = ['-c 0', '-f 0', '-n 64', '-t 120', '-d 1500000'];

// A child in the middle of a calculation does not see that its worker was killed; where the kernel can, it ends with it.
const SCRIPT = `
for limit in ${LIMITS.map((limit) => `'${limit}'`).join(' ')}; do (ulimit $limit) 2>/dev/null && ulimit $limit; done
setpriv --pdeathsig KILL true 2>/dev/null && exec setpriv --pdeathsig KILL "$@"
exec "$@"`;

/** A process for calculations, with the two pipes that are all it has of the outside world. */
export type CalculatingProcess = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

/** Starts a process for calculations: without settings, files, network descriptors or secrets of the service. */
export function startChild(): CalculatingProcess {
  return spawn('/bin/sh', ['-c', SCRIPT, 'sh', process.execPath, ...NODE_OPTIONS, ENTRY], {
    env: { TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'ignore'],
    // A Ctrl-C in the terminal is for the service, which then sees its calculations through.
    detached: true,
  });
}
