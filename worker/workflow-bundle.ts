import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Logger } from 'pino';

const root = fileURLToPath(new URL('../', import.meta.url));
const CACHE = join(root, 'node_modules/.cache/everturn');

/**
 * Returns the workflows as one script, in a file. Built once for each state of the source, in a process of its own: the
 * bundler would leave this one with a hundred megabytes that are never used again.
 */
export async function workflowBundle(log: Logger): Promise<{ codePath: string }> {
  const codePath = bundlePath();
  if (!existsSync(codePath)) {
    log.info('bundling the workflows');
    await promisify(execFile)(process.execPath, [fileURLToPath(new URL('bundle-workflows.ts', import.meta.url))]);
  }
  return { codePath };
}

/** Writes the bundle of the present source, atomically. */
export function storeBundle(code: string): void {
  const codePath = bundlePath();
  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${codePath}.${process.pid}`;
  writeFileSync(unfinished, code);
  renameSync(unfinished, codePath);
}

function bundlePath(): string {
  return join(CACHE, `workflows-${fingerprint()}.js`);
}

/** Returns a fingerprint of the workflow code of this process, which differs from that of other versions. */
export function fingerprint(): string {
  const hash = createHash('sha256');
  const sources = globSync(['workflows/**/*.ts', 'domain/**/*.ts'], { cwd: root }).toSorted();
  for (const source of ['package-lock.json', 'worker/bundle-workflows.ts', ...sources]) {
    hash
      .update(source)
      .update('\0')
      .update(readFileSync(join(root, source)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}
