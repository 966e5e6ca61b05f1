import { isSafePattern } from 'redos-detector';

const MAX_PATTERNS = 50;
const MAX_CHARACTERS = 500;
/** How far one pattern is looked into, and how long all of one schema, in milliseconds: the process has other requests. */
const MAX_STEPS = 3_000;
const MAX_MS = 300;
/** Backtracking for each character of a text, as the library counts it. */
const MAX_SCORE = 200;

// Only a group that repeats can be read in a number of ways that doubles with each character.
const REPEATS_A_GROUP = /\)[*+{]/;

/** Returns why patterns are refused, or `undefined`: no text may keep whoever matches them busy. */
export function patternsIssue(patterns: readonly string[]): string | undefined {
  if (patterns.length > MAX_PATTERNS) return `must not have more than ${MAX_PATTERNS} patterns`;
  const endsAt = performance.now() + MAX_MS;
  for (const pattern of new Set(patterns)) {
    const issue = patternIssue(pattern, endsAt - performance.now());
    if (issue !== undefined) return `has the pattern ${JSON.stringify(pattern.slice(0, 60))}, which ${issue}`;
  }
  return undefined;
}

function patternIssue(pattern: string, timeout: number): string | undefined {
  if (pattern.length > MAX_CHARACTERS) return `has more than ${MAX_CHARACTERS} characters`;
  if (timeout <= 0) return 'takes too long to examine with the others';
  try {
    const bounds = { maxScore: MAX_SCORE, maxSteps: MAX_STEPS, timeout };
    const { safe } = isSafePattern(pattern, { unicode: true, ...bounds });
    return safe || !REPEATS_A_GROUP.test(pattern) ? undefined : 'could keep whoever matches it busy';
  } catch {
    return 'is not a regular expression';
  }
}
