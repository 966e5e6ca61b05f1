import { z } from 'zod';
import type { ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { findFiles } from './find-files.ts';
import { pathParameter } from '../parameters.ts';

const LIMIT = 100;
const MAX_CONTEXT = 10;
const MAX_FILE_BYTES = 2_000_000;
/** How much one calculation searches: a large file, or many small ones. */
const BATCH_BYTES = 2_000_000;
const MAX_BYTES = 40_000_000;

/**
 * Searches the contents of files. Patterns take time in proportion to the text, and are matched in a compute process
 * all the same: a workspace may be large.
 */
export const fileGrep = defineTool({
  key: 'file_grep',
  name: 'Search in files',
  description:
    'Searches the contents of files in the workspace, line by line, and answers `line number: text` for each match, by file. ' +
    'Files that a .gitignore excludes, binary files and files over 2 MB are left out.',
  category: 'filesystem',
  parameters: z.strictObject({
    query: z
      .string()
      .min(1)
      .max(1_000)
      .describe('What to search for, case-sensitive: a text or, with `regex`, a regular expression.'),
    regex: z
      .boolean()
      .optional()
      .describe(
        'Whether `query` is a regular expression in RE2 syntax, such as `(?i)todo|fixme`. `(?i)` ignores case; there is no look-around and no back-reference.',
      ),
    path: pathParameter('Folder or file to search in; the whole workspace when left out.').optional(),
    glob: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('Only files whose path fits, such as `*.ts` (in any folder) or `src/**/*.{js,ts}`.'),
    context: z.int().min(0).max(MAX_CONTEXT).optional().describe('Lines to show around each match; 0 when left out.'),
    limit: z.int().min(1).max(1_000).optional().describe(`Most matching lines to show; ${LIMIT} when left out.`),
  }),
  effect: 'read',
  timeoutSeconds: 30,
  inline: true,
  label: ({ query }) => `Searching ${query.slice(0, 60)}`,
  run: async ({ query, regex = false, path = '.', glob, context: around = 0, limit = LIMIT }, context) => {
    const { paths, isCut } = await candidates(path, glob, context);
    const search = { query, isRegex: regex, context: around, limit };
    const { found, searched, hasMore } = await searchFiles(paths, search, context);
    const isForeign = await anyForeign(found, context);
    return { value: present(found, { searched, hasMore: hasMore || isCut, isSeparated: around > 0 }), isForeign };
  },
});

/** Lines of one file: matches, and the lines around them. */
interface FoundFile {
  readonly path: string;
  readonly matches: number;
  readonly lines: readonly (readonly [number: number, text: string, isMatch: boolean])[];
}

async function candidates(path: string, glob: string | undefined, context: ToolContext) {
  // Without a folder in it, a pattern is for the names of files, wherever they are.
  const pattern = glob === undefined ? '**/*' : glob.includes('/') ? glob : `**/${glob}`;
  try {
    const { files, isCut } = await findFiles({ pattern, folder: path, isAll: false }, context);
    return { paths: files.filter(({ size }) => size <= MAX_FILE_BYTES).map((file) => file.path), isCut };
  } catch (error) {
    if (path === '.' || !(await isReadable(path, context))) throw error;
    return { paths: [path], isCut: false };
  }
}

async function isReadable(path: string, { workspace, signal }: ToolContext): Promise<boolean> {
  try {
    for await (const _chunk of workspace.readChunks(filePath(path), signal)) break;
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

interface Search {
  readonly query: string;
  readonly isRegex: boolean;
  readonly context: number;
  readonly limit: number;
}

const answer = z.object({
  found: z.array(
    z.object({
      index: z.int(),
      matches: z.int(),
      lines: z.array(z.tuple([z.int(), z.string(), z.boolean()])),
    }),
  ),
  isCut: z.boolean(),
});

async function searchFiles(paths: readonly string[], search: Search, context: ToolContext) {
  const found: FoundFile[] = [];
  let [left, next, bytes] = [search.limit, 0, 0];
  while (next < paths.length) {
    if (bytes >= MAX_BYTES) return { found, searched: next, hasMore: true };
    const first = next;
    const job = async () => {
      const batch = await readBatch(paths.slice(first), paths.length === 1, context);
      next = first + batch.texts.length;
      bytes += batch.bytes;
      return { kind: 'search' as const, ...search, limit: left, texts: batch.texts };
    };
    const result = answer.parse(JSON.parse(await context.compute(job)));
    for (const { index, ...lines } of result.found) {
      left -= lines.matches;
      found.push({ path: paths[first + index] ?? '', ...lines });
    }
    if (result.isCut) return { found, searched: next, hasMore: true };
  }
  return { found, searched: next, hasMore: false };
}

async function readBatch(paths: readonly string[], isOnly: boolean, { workspace, signal }: ToolContext) {
  const texts: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    signal.throwIfAborted();
    const content = await workspace.read(filePath(path), MAX_FILE_BYTES).catch(empty(isOnly));
    texts.push(content.toString('base64'));
    bytes += content.length;
    if (bytes >= BATCH_BYTES) break;
  }
  return { texts, bytes };
}

// One of many may be gone by now, or be no plain file; for the only one the model learns what is wrong.
function empty(isOnly: boolean) {
  return (error: unknown): Buffer => {
    if (isOnly || !(error instanceof ToolFailure)) throw error;
    return Buffer.alloc(0);
  };
}

// Checked after reading: writers set the mark before the content.
async function anyForeign(found: readonly FoundFile[], { workspace }: ToolContext): Promise<boolean> {
  const marks = await Promise.all(found.map(async ({ path }) => workspace.isForeign(filePath(path))));
  return marks.includes(true);
}

function present(
  found: readonly FoundFile[],
  { searched, hasMore, isSeparated }: { searched: number; hasMore: boolean; isSeparated: boolean },
): string {
  const more = 'There may be more; narrow query, path or glob, or raise limit.';
  if (found.length === 0) return `No line matches in ${searched} files.${hasMore ? ` ${more}` : ''}`;
  const parts = found.map(({ path, lines }) => `${path}\n${linesText(lines, isSeparated)}`);
  const matches = found.reduce((sum, file) => sum + file.matches, 0);
  const counts = `${matches} matching lines in ${found.length}`;
  return `${parts.join('\n\n')}\n\n[${counts} files${hasMore ? `. ${more}` : ` of ${searched}.`}]`;
}

function linesText(lines: FoundFile['lines'], isSeparated: boolean): string {
  return lines
    .map(([number, text, isMatch], index) => {
      const isAfterGap = isSeparated && index > 0 && number !== (lines[index - 1]?.[0] ?? 0) + 1;
      return `${isAfterGap ? '--\n' : ''}${number}${isMatch ? ':' : '-'} ${text}`;
    })
    .join('\n');
}
