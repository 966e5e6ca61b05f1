import { isShowable, isStorableText } from '../core/text.ts';

const MAX_PATH_CHARACTERS = 200;
const MAX_SEGMENTS = 10;

// Characters that some file system cannot store, or interprets.
const UNSAFE = /[\\:*?"<>|]/;

/**
 * Returns why a path cannot be that of a definition file, or `undefined`. A path is relative, stays in its folder on
 * every file system, and has one spelling.
 */
export function pathIssue(path: string): string | undefined {
  if (path.length === 0 || path.length > MAX_PATH_CHARACTERS) return `must have 1 to ${MAX_PATH_CHARACTERS} characters`;
  if (!isStorableText(path) || !isShowable(path)) return 'must not contain control characters or invisible characters';
  if (path.normalize('NFC') !== path) return 'must be spelled in the Unicode form NFC';
  if (path.startsWith('/')) return 'must be relative';
  if (UNSAFE.test(path)) return 'must not contain any of \\ : * ? " < > |';
  const segments = path.split('/');
  if (segments.length > MAX_SEGMENTS) return `must not nest more than ${MAX_SEGMENTS} levels deep`;
  return segments.map(segmentIssue).find((issue) => issue !== undefined);
}

function segmentIssue(segment: string): string | undefined {
  if (segment === '') return 'must not have empty parts';
  if (segment === '.' || segment === '..') return 'must not contain the parts . and ..';
  if (/^\s|[\s.]$/u.test(segment)) return 'must not have parts that begin with a blank, or end with a blank or a dot';
  return undefined;
}

/** A path that cannot lie beside another. */
interface PathClash {
  readonly path: string;
  readonly other: string;
}

/**
 * Finds two paths that cannot coexist in every file system: they differ in case only, or one is a folder of the other.
 */
export function findPathClash(paths: Iterable<string>): PathClash | undefined {
  const files = new Map<string, string>();
  for (const path of paths) {
    const other = files.get(fold(path));
    if (other !== undefined) return { path, other };
    files.set(fold(path), path);
  }
  for (const path of files.values()) {
    for (const folder of foldersOf(path)) {
      const other = files.get(fold(folder));
      if (other !== undefined) return { path, other };
    }
  }
  return undefined;
}

function foldersOf(path: string): string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_segment, index) => segments.slice(0, index + 1).join('/'));
}

function fold(path: string): string {
  return path.toLowerCase().normalize('NFC');
}

/** Bytes of one file, in UTF-8. */
export const MAX_FILE_BYTES = 256 * 1024;

/** Files of one definition. */
export const MAX_FILES = 100;

/** Bytes of all files of one definition. */
export const MAX_DEFINITION_BYTES = 2 * 1024 ** 2;

/** A key: lower case, so that no two differ in case only; models call tools by it. */
export const DEFINITION_KEY = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Represents the tools of an agent's MCP servers; their names begin with it and two underscores. */
const MCP = 'mcp';

/** Returns why no definition can have this key, or `undefined`. */
export function keyIssue(key: string): string | undefined {
  if (!DEFINITION_KEY.test(key)) {
    return 'must be 1 to 64 lower-case letters, digits, hyphens and underscores, and begin with a letter or digit';
  }
  if (key === MCP || key.startsWith(`${MCP}__`))
    return 'must not be "mcp" or begin with "mcp__", which means MCP servers';
  return undefined;
}

/** The file of a skill that contains its instructions. */
export const SKILL_FILE = 'SKILL.md';

/** The front matter of a file, and the text below it. */
interface SplitFile {
  readonly fields: string;
  readonly body: string;
}

const BYTE_ORDER_MARK = '\uFEFF';
const FENCE = '---';

/** Whether a Markdown file begins with the first of these two lines. */
export function beginsWithFrontMatter(text: string): boolean {
  return isFence(text.split('\n', 1)[0]?.replace(BYTE_ORDER_MARK, ''));
}

/** Splits a Markdown file that begins with fields between two lines of three hyphens; `undefined` for any other. */
export function splitFrontMatter(text: string): SplitFile | undefined {
  const [, ...lines] = text.split('\n');
  const end = lines.findIndex(isFence);
  if (!beginsWithFrontMatter(text) || end < 0) return undefined;
  return { fields: `${lines.slice(0, end).join('\n')}\n`, body: lines.slice(end + 1).join('\n') };
}

function isFence(line: string | undefined): boolean {
  return line?.trimEnd() === FENCE;
}

/** The categories of skills. */
export const SKILL_CATEGORIES = [
  'development',
  'research',
  'writing',
  'data',
  'operations',
  'communication',
  'orchestration',
  'files',
  'web',
  'platform',
  'custom',
] as const;
