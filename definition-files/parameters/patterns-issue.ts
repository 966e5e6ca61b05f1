import { isSafePattern } from 'redos-detector';

const MAX_PATTERNS = 50;
const MAX_CHARACTERS = 500;
/** How far one pattern is looked into. Steps, not time, refuse one, so that a busy machine decides alike. */
const MAX_STEPS = 1_000;
/** Backtracking for each character of a text, as the library counts it. */
const MAX_SCORE = 200;

/** Bounds on the processor time of examinations: at once, in milliseconds, and in the long run, as a share of time. */
const BURST_MS = 2_000;
const SHARE = 0.05;

// Only a group that repeats can be read in a number of ways that doubles with each character.
const REPEATS_A_GROUP = /\)[*+{]/;

/**
 * Returns why patterns are refused, or `undefined`: those that could keep whoever matches them busy. While the process
 * has spent its time for that, they are taken unexamined: arguments are matched in processes that can be ended.
 */
export function patternsIssue(patterns: readonly string[]): string | undefined {
  if (patterns.length > MAX_PATTERNS) return `must not have more than ${MAX_PATTERNS} patterns`;
  for (const pattern of new Set(patterns)) {
    const issue = patternIssue(pattern);
    if (issue !== undefined) return `has the pattern ${JSON.stringify(pattern.slice(0, 60))}, which ${issue}`;
  }
  return undefined;
}

function patternIssue(pattern: string): string | undefined {
  if (pattern.length > MAX_CHARACTERS) return `has more than ${MAX_CHARACTERS} characters`;
  if (!isRegularExpression(pattern)) return 'is not a regular expression';
  return REPEATS_A_GROUP.test(pattern) && !examine(pattern) ? 'could keep whoever matches it busy' : undefined;
}

function isRegularExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
}

let timeLeftMs = BURST_MS;
let refilledAt = performance.now();

// Returns whether the pattern is safe as far as there is time to see.
function examine(pattern: string): boolean {
  const now = performance.now();
  timeLeftMs = Math.min(BURST_MS, timeLeftMs + (now - refilledAt) * SHARE);
  refilledAt = now;
  if (timeLeftMs < 1) return true;
  const usedBefore = process.threadCpuUsage();
  const bounds = { maxScore: MAX_SCORE, maxSteps: MAX_STEPS, timeout: timeLeftMs };
  const { safe, error } = isSafePattern(pattern, { unicode: true, ...bounds });
  const { user, system } = process.threadCpuUsage(usedBefore);
  timeLeftMs -= (user + system) / 1_000;
  return safe || error === 'timedOut';
}
