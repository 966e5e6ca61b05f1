import { compute } from '../compute/index.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { ToolContext, ToolImplementation } from '../tool.ts';
import { type Entry, filePath, folderPath } from '../workspace/index.ts';

interface Arguments {
  readonly pattern: string;
  readonly path?: string;
  readonly include_ignored?: boolean;
  readonly limit?: number;
}

const EVERYTHING = { maxDepth: 64, limit: 20_000 };
const LIMIT = 200;
const IGNORE_FILE = '.gitignore';
const MAX_IGNORE_FILES = 50;
const MAX_IGNORE_BYTES = 64 * 1024;
/** Never of interest, and large. */
const ALWAYS_IGNORED = { folder: '', rules: '.git/\nnode_modules/' };

/**
 * Finds files by pattern. Patterns and ignore files come from models and strangers, and can be made to take for ever,
 * so they are matched in a compute process.
 */
export const fileFind: ToolImplementation = {
  run: async (given, context) => {
    const args = given as unknown as Arguments;
    if (args.pattern.includes('..')) throw new ToolFailure('invalid_input', 'The pattern must not hold ..');
    const names = folderPath(args.path ?? '.');
    const prefix = names.map((name) => `${name}/`).join('');
    const { entries, isCut } = await context.workspace.list(names, EVERYTHING, context.signal);
    const files = entries.filter(({ type }) => type === 'file');
    const paths = files.map(({ path }) => path.slice(prefix.length));
    const ignoreFiles = args.include_ignored === true ? [] : await readIgnoreFiles(files, prefix, context);
    const job = { kind: 'glob' as const, pattern: args.pattern.replace(/^\.?\//, ''), paths, ignoreFiles };
    const places = JSON.parse(await compute(job, context)) as number[];
    const limit = args.limit ?? LIMIT;
    const found = places.slice(0, limit).flatMap((place) => files[place]?.path ?? []);
    const hasMore = isCut || places.length > limit;
    return { value: hasMore ? { paths: found, note: 'There may be more; narrow path or pattern' } : { paths: found } };
  },
  label: ({ pattern }) => `Finding ${String(pattern)}`,
};

async function readIgnoreFiles(files: readonly Entry[], prefix: string, { workspace }: ToolContext) {
  const all = files.filter(({ path, size }) => path.split('/').at(-1) === IGNORE_FILE && size <= MAX_IGNORE_BYTES);
  const read = all.slice(0, MAX_IGNORE_FILES).map(async ({ path }) => {
    const folder = path.slice(prefix.length, -IGNORE_FILE.length).replace(/\/$/, '');
    return { folder, rules: (await workspace.read(filePath(path), MAX_IGNORE_BYTES)).toString() };
  });
  return [ALWAYS_IGNORED, ...(await Promise.all(read))];
}
