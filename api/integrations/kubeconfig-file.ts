import { parse as parseYaml } from 'yaml';

/**
 * The most of what makes the parser slow, each far beyond what a kubeconfig of its length has: lines, what opens an
 * entry, brackets and commas, quotes, and all other marks with a meaning.
 */
const BOUNDS: readonly (readonly [pattern: RegExp, most: number])[] = [
  [/[\r\n]/g, 500],
  [/\t/g, 0],
  [/[-?:](?=\s)/g, 800],
  [/[[\]{},]/g, 100],
  [/["']/g, 800],
  [/[&*!|>%@`?#]/g, 50],
];
const MAX_ENTRIES_OF_LINE = 8;

/**
 * Returns what a kubeconfig says, undefined when it is neither JSON nor YAML in block style. What could take the parser
 * long is refused before: it has all other requests wait.
 */
export function readKubeconfig(text: string): unknown {
  return readJson(text) ?? (isPlain(text) ? readYaml(text) : undefined);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Anchors are not followed: a few of them would become a lot.
function readYaml(text: string): unknown {
  try {
    return parseYaml(text, { schema: 'core', maxAliasCount: 0, logLevel: 'error', prettyErrors: false });
  } catch {
    return undefined;
  }
}

function isPlain(text: string): boolean {
  const isBounded = BOUNDS.every(([pattern, most]) => countOf(text, pattern) <= most);
  // Those of one line are nested in each other.
  return isBounded && text.split(/[\r\n]/).every((line) => countOf(line, /[-?:](?: |$)/g) <= MAX_ENTRIES_OF_LINE);
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
