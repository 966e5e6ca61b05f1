import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  cpSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { checkout } from '../stack/core/files.ts';
import { consoleStamp, STAMP_FILE, stampOf } from './console-stamp.ts';

// node scripts/console/build.ts [folder]: builds the console into a folder, `console/dist` unless given. The folder is
// replaced at once when the build is whole; the assets of the build before stay beside it, for pages that are open.

const PACKED = new Set(['.js', '.css', '.html', '.svg', '.json']);
/** Smaller files gain nothing. */
const MIN_PACKED_BYTES = 1_000;

const target = resolve(process.argv[2] ?? join(checkout, 'console/dist'));
const fresh = `${target}.new-${process.pid}`;
const stamp = consoleStamp();
// Whatever the caller's environment says: with another value React is built with its checks for developers.
process.env['NODE_ENV'] = 'production';
try {
  mkdirSync(dirname(target), { recursive: true });
  await build({
    configFile: join(checkout, 'console/vite.config.mjs'),
    logLevel: 'warn',
    build: { outDir: fresh, emptyOutDir: true },
  });
  for (const path of filesIn(fresh)) pack(path);
  if (existsSync(join(target, 'assets')))
    cpSync(join(target, 'assets'), join(fresh, 'before/assets'), { recursive: true });
  writeFileSync(join(fresh, STAMP_FILE), `${stamp}\n`);
  publishBuild();
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile());
}

function pack(path: string): void {
  const content = readFileSync(path);
  if (!PACKED.has(extname(path)) || content.length < MIN_PACKED_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}

/** Replaces the folder. Another build may do the same at this moment: one of the same stamp is as good. */
function publishBuild(): void {
  const old = `${target}.old-${process.pid}`;
  try {
    if (existsSync(target)) renameSync(target, old);
    renameSync(fresh, target);
  } catch (error) {
    if (stampOf(target) !== stamp) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}
