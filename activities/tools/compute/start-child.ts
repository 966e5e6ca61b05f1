import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const CALCULATOR = fileURLToPath(new URL('child.ts', import.meta.url));

/** The main program of a process for one job about a document. */
export const DOCUMENT_PROGRAM = fileURLToPath(new URL('document-child.ts', import.meta.url));

const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/**
 * The paths that a child may read beside its own code: the packages, the rules of cron lines and their errors, the
 * readers of texts, JSON and documents, and nothing of the service's data, which may lie beside them.
 */
const READABLE = [
  fileURLToPath(new URL('../../../package.json', import.meta.url)),
  fileURLToPath(new URL('../../../domain/schedules/', import.meta.url)),
  fileURLToPath(new URL('../../../domain/core/app-error.ts', import.meta.url)),
  fileURLToPath(new URL('../../../domain/core/decode-text.ts', import.meta.url)),
  fileURLToPath(new URL('../../../domain/core/exact-json.ts', import.meta.url)),
  fileURLToPath(new URL('../../../domain/core/objects.ts', import.meta.url)),
  fileURLToPath(new URL('../../core/documents/', import.meta.url)),
  fileURLToPath(new URL('../../core/texts/read-text.ts', import.meta.url)),
  // The packages may be behind a link.
  join(PACKAGES, '/'),
  join(realpathSync(PACKAGES), '/'),
];

const NODE_OPTIONS = [
  '--disable-warning=ExperimentalWarning',
  '--max-old-space-size=192',
  '--max-semi-space-size=16',
  '--stack-size=3900',
  // Libraries that a hostile expression has subverted find nothing to work with.
  '--permission',
  '--disallow-code-generation-from-strings',
  '--no-addons',
];

/**
 * No core dumps, no written files, few descriptors, and kilobytes of memory, inside and
 * outside the heap: V8 reserves some 600 MB and uses a tenth. Limits that the system does not know are skipped.
 */
const LIMITS = ['-c 0', '-f 0', '-n 64', '-d 1500000'];

// A busy child does not notice that its worker, $0, was killed; where the kernel supports it, it is killed too. The
// second shell ends a child whose worker died before that was arranged.
const scriptOf = (limits: readonly string[]) => `
for limit in ${limits.map((limit) => `'${limit}'`).join(' ')}; do (ulimit $limit) 2>/dev/null && ulimit $limit; done
setpriv --pdeathsig KILL true 2>/dev/null &&
  exec setpriv --pdeathsig KILL /bin/sh -c '[ "$PPID" = "$0" ] && exec "$@"' "$0" "$@"
exec "$@"`;

/** A process for calculations, with the two pipes that are its only connection. */
export type CalculatingProcess = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

/**
 * Nobody's calculations are to slow down the service. A tenth of a busy processor is left to them: at the lowest
 * priority their start alone would take seconds there.
 */
export const LOW_PRIORITY = 10;

/**
 * Starts a process for calculations, or for what another main program does: without settings, files, network
 * descriptors or secrets of the service. A program is read from its own folder. The system kills a process that has
 * used up its processor time.
 */
export function startChild(program = CALCULATOR, cpuSeconds = 120): CalculatingProcess {
  const readable = [join(dirname(program), '/'), ...READABLE].map((path) => `--allow-fs-read=${path}`);
  const script = scriptOf([...LIMITS, `-t ${cpuSeconds}`]);
  const command = [process.execPath, ...NODE_OPTIONS, ...readable, program];
  const child = spawn('/bin/sh', ['-c', script, String(process.pid), ...command], {
    env: { TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'ignore'],
    // A Ctrl-C in the terminal is for the service, which then finishes its calculations.
    detached: true,
  });
  if (child.pid !== undefined) lowerPriority(child.pid);
  return child;
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {
    // It has just ended.
  }
}
