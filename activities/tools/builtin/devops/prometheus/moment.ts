import { ToolFailure } from '../../../tool-failure.ts';

const UNIX = /^\d{1,11}(?:\.\d{1,9})?$/;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;
const PARTS = /(\d{1,9})(ms|[smhdwy])/gy;
const UNIT_SECONDS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
};

/**
 * Reads a moment: RFC 3339, seconds since 1970, or relative to now as in `now`, `-1h30m` and `now-2d`. Returns seconds
 * since 1970. Throws `ToolFailure` for anything else.
 */
export function secondsOf(text: string, nowSeconds: number): number {
  if (UNIX.test(text)) return Number(text);
  if (RFC_3339.test(text)) {
    const time = Date.parse(text.replace(' ', 'T'));
    if (!Number.isNaN(time)) return time / 1_000;
  }
  const back = text.startsWith('now') ? text.slice('now'.length) : text;
  if (back === '' && text !== '') return nowSeconds;
  const before = back.startsWith('-') ? durationOf(back.slice(1)) : undefined;
  if (before !== undefined && before <= nowSeconds) return nowSeconds - before;
  throw new ToolFailure(
    'invalid_input',
    `${JSON.stringify(text)} is no time: give RFC 3339 with an offset, seconds since 1970, or one relative to now such as -1h`,
  );
}

/** Returns the seconds that a duration such as `1h30m` takes; undefined for what is none. */
function durationOf(text: string): number | undefined {
  let seconds = 0;
  let end = 0;
  for (const [part, count, unit = ''] of text.matchAll(PARTS)) {
    seconds += Number(count) * (UNIT_SECONDS[unit] ?? 0);
    end += part.length;
  }
  return end === text.length && end > 0 ? seconds : undefined;
}
