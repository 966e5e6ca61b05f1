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
// Anchors are not followed: a few of them would become a lot.
const OPTIONS = { schema: 'core', maxAliasCount: 0, logLevel: 'error', prettyErrors: false } as const;

/** Parses YAML as the package `yaml` does. Throws when it is none. */
type ParseYaml = (text: string, options: typeof OPTIONS) => unknown;

/**
 * Returns what a kubeconfig says, undefined when it is neither JSON nor YAML in block style. What could take the parser
 * long is refused before: it has all else of the process wait.
 */
export function readKubeconfig(text: string, parseYaml: ParseYaml): unknown {
  return readJson(text) ?? (isPlain(text) ? readYaml(text, parseYaml) : undefined);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readYaml(text: string, parseYaml: ParseYaml): unknown {
  try {
    return parseYaml(text, OPTIONS);
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
