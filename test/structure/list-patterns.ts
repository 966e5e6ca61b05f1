import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { isSafe } from 'redos-detector';

/** A regular expression in the source: its text, or that of the expression that makes it. */
export interface FoundPattern {
  readonly file: string;
  readonly pattern: string;
  /** Whether it takes no more than linear time, whatever it is matched against; not known for one made at run time. */
  readonly isLinear: boolean;
}

/** The folders whose code meets text of models, providers, users and strangers. */
const FOLDERS = ['api', 'files', 'activities', 'workflows', 'worker', 'db', 'domain', 'definition-files', 'builtin'];
const MAX_STEPS = 5_000;
/** For a pattern that is listed: enough to find most that are linear after all. */
const FEW_STEPS = 300;

/** Every regular expression of the service's own code; those that are `isListed` get a short analysis. */
export function listPatterns(root: string, isListed: (file: string, pattern: string) => boolean): FoundPattern[] {
  const all = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const sources = all.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  return sources.flatMap((file) =>
    patternsOf(readFileSync(join(root, file), 'utf8'), (pattern) =>
      isListed(file, pattern) ? FEW_STEPS : MAX_STEPS,
    ).map((found) => ({ file, ...found })),
  );
}

/** The regular expressions of one source text. */
export function patternsOf(
  source: string,
  stepsFor: (pattern: string) => number = () => MAX_STEPS,
): Omit<FoundPattern, 'file'>[] {
  const found: Omit<FoundPattern, 'file'>[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, callee, pattern, flags } = node as Record<string, unknown>;
    if (type === 'RegExpLiteral') {
      const text = String(pattern);
      found.push({ pattern: text, isLinear: isLinear(text, String(flags), stepsFor(text)) });
    }
    if (isRegExpConstructor(callee)) found.push({ pattern: 'new RegExp', isLinear: false });
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseSync(source, { syntax: 'typescript', target: 'es2024' }).body);
  return found;
}

function isRegExpConstructor(callee: unknown): boolean {
  return typeof callee === 'object' && callee !== null && 'value' in callee && callee.value === 'RegExp';
}

const analysed = new Map<string, boolean>();

// Many files have the same pattern.
function isLinear(pattern: string, flags: string, maxSteps: number): boolean {
  const key = `${maxSteps} ${flags}/${pattern}`;
  const known = analysed.get(key) ?? analyse(pattern, flags, maxSteps);
  analysed.set(key, known);
  return known;
}

// The analyser does not know names of groups. What it finds too many readings of counts as unsafe; it need not be asked
// about patterns without quantifiers, of which it counts the alternatives.
function analyse(pattern: string, flags: string, maxSteps: number): boolean {
  if (!/[*+{]/.test(pattern)) return true;
  const unnamed = pattern.replaceAll(/\(\?<(?![=!])\w+>/g, '(');
  try {
    return isSafe(new RegExp(unnamed, flags), { maxSteps }).safe;
  } catch {
    return false;
  }
}
