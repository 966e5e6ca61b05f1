import { isSafePattern } from 'redos-detector';

const MAX_PATTERNS = 50;
const MAX_CHARACTERS = 500;
/** Patterns with a repeated group in one schema: each takes some milliseconds to examine. */
const MAX_REPEATED_GROUPS = 10;
/** How far one pattern is looked into. Steps, not time, decide, so that a busy machine decides alike. */
const MAX_STEPS = 1_000;
/** Ends the work on a schema all the same: the process has other requests. An idle machine needs a tenth of it. */
const MAX_MS = 3_000;
/** Backtracking for each character of a text, as the library counts it. */
const MAX_SCORE = 200;

// Only a group that repeats can be read in a number of ways that doubles with each character.
const REPEATS_A_GROUP = /\)[*+{]/;

/** Returns why patterns are refused, or `undefined`: no text may keep whoever matches them busy. */
export function patternsIssue(patterns: readonly string[]): string | undefined {
  if (patterns.length > MAX_PATTERNS) return `must not have more than ${MAX_PATTERNS} patterns`;
  const different = [...new Set(patterns)];
  if (different.filter((pattern) => REPEATS_A_GROUP.test(pattern)).length > MAX_REPEATED_GROUPS)
    return `must not have more than ${MAX_REPEATED_GROUPS} patterns with a group that repeats`;
  const endsAt = performance.now() + MAX_MS;
  for (const pattern of different) {
    const issue = patternIssue(pattern, endsAt - performance.now());
    if (issue !== undefined) return `has the pattern ${JSON.stringify(pattern.slice(0, 60))}, which ${issue}`;
  }
  return undefined;
}

function patternIssue(pattern: string, timeout: number): string | undefined {
  if (pattern.length > MAX_CHARACTERS) return `has more than ${MAX_CHARACTERS} characters`;
  if (!isRegularExpression(pattern)) return 'is not a regular expression';
  if (!REPEATS_A_GROUP.test(pattern)) return undefined;
  if (timeout <= 0) return 'takes too long to examine with the others';
  const bounds = { maxScore: MAX_SCORE, maxSteps: MAX_STEPS, timeout };
  return isSafePattern(pattern, { unicode: true, ...bounds }).safe ? undefined : 'could keep whoever matches it busy';
}

function isRegularExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
}
