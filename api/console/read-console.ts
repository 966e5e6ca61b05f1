import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the console, as it was built. */
export interface ConsoleFile {
  /** The media type. */
  readonly type: string;
  /** The content in each coding that it was built in; `identity` is always there. */
  readonly codings: ReadonlyMap<Coding, Buffer>;
  /** A weak validator, the same in all codings. */
  readonly etag: string;
}

export type Coding = 'br' | 'gzip' | 'identity';

/** The built console: its one page, and all files by the path that they are served at. */
export interface Console {
  readonly page: ConsoleFile;
  readonly files: ReadonlyMap<string, ConsoleFile>;
}

/** Where a build of the console lies that came with the code. */
export const CONSOLE_OF_CODE = fileURLToPath(new URL('../../console/dist', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};
const SUFFIXES = { br: '.br', gzip: '.gz', identity: '' } as const;
const PAGE = '/index.html';
/** Holds the assets of the build before this one: pages that are open still load them. */
const BEFORE = 'before';

/**
 * Reads a built console into memory; undefined when there is none. No request reaches the disk afterwards, whatever its
 * path says, and a later build changes nothing of what this process serves.
 */
export function readConsole(folder: string | undefined): Console | undefined {
  if (folder === undefined || !existsSync(join(folder, PAGE))) return undefined;
  const files = new Map([...readFiles(join(folder, BEFORE)), ...readFiles(folder)]);
  const page = files.get(PAGE);
  files.delete(PAGE);
  return page && { page, files };
}

function readFiles(folder: string): [string, ConsoleFile][] {
  return pathsIn(folder).flatMap((path) => {
    const type = TYPES[extname(path)];
    if (type === undefined || path.startsWith(`/${BEFORE}/`)) return [];
    const identity = readFileSync(join(folder, path));
    const codings = (['br', 'gzip'] as const).flatMap((coding) => {
      const packed = join(folder, path + SUFFIXES[coding]);
      return existsSync(packed) ? [[coding, readFileSync(packed)] as const] : [];
    });
    const digest = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
    return [[path, { type, codings: new Map([...codings, ['identity', identity]]), etag: `W/"${digest}"` }]];
  });
}

function pathsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => `/${path.replaceAll('\\', '/')}`);
}
