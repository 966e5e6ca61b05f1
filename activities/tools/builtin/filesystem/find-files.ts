import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { filePath, folderPath, type WorkspacePath } from '../../workspace/workspace-path.ts';
import type { Entry } from '../../workspace/workspace.ts';
import { pathParameter } from '../parameters.ts';
import type { ToolContext } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { markingFailures } from '../data/compute-over-file.ts';

const MAX_DEPTH = 32;
const LIMIT = 200;

/** Lists a folder. */
export const fileList = defineTool({
  key: 'file_list',
  name: 'List files',
  description: 'Lists a folder of the workspace with type, size and time of change of each entry.',
  category: 'filesystem',
  parameters: z.strictObject({
    path: pathParameter('Folder inside the workspace; the workspace itself when left out.').optional(),
    recursive: z.boolean().optional().describe('Whether folders inside it are listed too.'),
    max_depth: z
      .int()
      .min(1)
      .max(MAX_DEPTH)
      .optional()
      .describe('With `recursive`: how many levels deep; 32 when left out.'),
    limit: z.int().min(1).max(1000).optional().describe('Most entries to list; 200 when left out.'),
  }),
  effect: 'read',
  timeoutSeconds: 30,
  inline: true,
  label: ({ path }) => `Listing ${path ?? 'the workspace'}`,
  run: async (args, { workspace, signal }) => {
    const maxDepth = args.recursive === true ? (args.max_depth ?? MAX_DEPTH) : 1;
    const options = { maxDepth, limit: args.limit ?? LIMIT };
    const { entries, isCut } = await workspace.list(folderPath(args.path ?? '.'), options, signal);
    const shown = entries.map(present);
    return {
      value: isCut ? { entries: shown, note: 'There is more; narrow path or raise limit' } : { entries: shown },
    };
  },
});

function present({ path, type, size, modifiedAt }: Entry) {
  return { path, type, ...(type === 'file' && { size }), modified_at: modifiedAt.toISOString() };
}

/** Finds files by pattern. */
export const fileFind = defineTool({
  key: 'file_find',
  name: 'Find files',
  description:
    'Finds files of the workspace by a glob pattern, such as `**/*.md` or `src/**/{a,b}*.ts`. Files that a .gitignore excludes are left out.',
  category: 'filesystem',
  parameters: z.strictObject({
    pattern: z
      .string()
      .min(1)
      .max(500)
      .describe('Glob pattern, relative to `path`: `*` within a name, `**` across folders, `?`, `[abc]`, `{a,b}`.'),
    path: pathParameter('Folder to search in; the workspace itself when left out.').optional(),
    include_ignored: z.boolean().optional().describe('Whether files that a .gitignore excludes are found too.'),
    limit: z.int().min(1).max(1000).optional().describe('Most paths to answer; 200 when left out.'),
  }),
  effect: 'read',
  timeoutSeconds: 30,
  inline: true,
  label: ({ pattern }) => `Finding ${pattern}`,
  run: async ({ pattern, path = '.', include_ignored: isAll = false, limit = LIMIT }, context) => {
    const { files, isCut } = await findFiles({ pattern, folder: path, isAll }, context);
    const paths = files.slice(0, limit).map((file) => file.path);
    const hasMore = isCut || files.length > limit;
    return { value: hasMore ? { paths, note: 'There may be more; narrow path or pattern' } : { paths } };
  },
});

const EVERYTHING = { maxDepth: 64, limit: 20_000 };
const IGNORE_FILE = '.gitignore';
const MAX_IGNORE_FILES = 50;
const MAX_IGNORE_BYTES = 64 * 1024;
/** Never of interest, and large. */
const ALWAYS_IGNORED = { folder: '', rules: '.git/\nnode_modules/' };

/** Which files are wanted. */
interface FileQuery {
  /** A glob pattern, relative to the folder. */
  readonly pattern: string;
  readonly folder: string;
  /** Whether files that an ignore file excludes are wanted too. */
  readonly isAll: boolean;
}

/**
 * Finds files by pattern, in the order of their paths. Patterns and ignore files come from models and strangers, and
 * can be made to run for ever, so they are matched in a compute process.
 */
export async function findFiles(
  { pattern: given, folder, isAll }: FileQuery,
  context: ToolContext,
): Promise<{ readonly files: readonly Entry[]; readonly isCut: boolean }> {
  if (given.includes('..')) throw new ToolFailure('invalid_input', 'The pattern must not contain ..');
  const pattern = given.replace(/^\.?\//, '');
  let candidates: Candidates = { files: [], isCut: false, ignoreFiles: [] };
  // Gathered when its turn comes, so that waiting calls do not keep the names of a large workspace in memory.
  const job = async () => {
    const names = folderPath(folder);
    const prefix = names.map((name) => `${name}/`).join('');
    candidates = await gather(names, prefix, isAll, context);
    const paths = candidates.files.map(({ path }) => path.slice(prefix.length));
    return { kind: 'glob' as const, pattern, paths, ignoreFiles: candidates.ignoreFiles };
  };
  const ignorePaths = () => candidates.ignoreFiles.flatMap(({ path }) => (path === undefined ? [] : [filePath(path)]));
  const answer = await markingFailures(context, ignorePaths, async () => context.compute(job));
  const indexes = matches.parse(JSON.parse(answer));
  return { files: indexes.flatMap((index) => candidates.files[index] ?? []), isCut: candidates.isCut };
}

const matches = z.array(z.int());

/** The candidates for a match: all files, and the contents of the ignore files among them. */
interface Candidates {
  readonly files: readonly Entry[];
  readonly isCut: boolean;
  readonly ignoreFiles: readonly { readonly path?: string; readonly folder: string; readonly rules: string }[];
}

async function gather(names: WorkspacePath, prefix: string, isAll: boolean, context: ToolContext): Promise<Candidates> {
  const { entries, isCut } = await context.workspace.list(names, EVERYTHING, context.signal);
  const files = entries.filter(({ type }) => type === 'file');
  return { files, isCut, ignoreFiles: isAll ? [] : await readIgnoreFiles(files, prefix, context) };
}

async function readIgnoreFiles(files: readonly Entry[], prefix: string, { workspace }: ToolContext) {
  const all = files.filter(({ path, size }) => path.split('/').at(-1) === IGNORE_FILE && size <= MAX_IGNORE_BYTES);
  const read = all.slice(0, MAX_IGNORE_FILES).map(async ({ path }) => {
    const folder = path.slice(prefix.length, -IGNORE_FILE.length).replace(/\/$/, '');
    return { path, folder, rules: (await workspace.read(filePath(path), MAX_IGNORE_BYTES)).toString() };
  });
  return [ALWAYS_IGNORED, ...(await Promise.all(read))];
}
