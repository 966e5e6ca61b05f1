import pg from 'pg';

const parseAny: (text: string) => unknown = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

/** Of `2026-11-23 05:42:53+00`, the shortest time that is read here. */
const MIN_LENGTH = 22;
const ZERO = '0'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);
/** `Date.UTC` takes smaller years for those of the 20th century. */
const MIN_YEAR = 100;
const FRACTION_AT = 20;

/**
 * Reads a `timestamptz` as PostgreSQL writes it in UTC, without a regular expression: large lists hold thousands. Other
 * forms (`infinity`, years before 100 and after 9999, other zones) are left to the driver.
 */
export function parseTimestamp(text: string): unknown {
  if (text.length < MIN_LENGTH || text.charCodeAt(10) !== SPACE || !text.endsWith('+00')) return parseAny(text);
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  if (year < MIN_YEAR) return parseAny(text);
  const [month, day] = [twoDigits(text, 5) - 1, twoDigits(text, 8)];
  return new Date(
    Date.UTC(year, month, day, twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17), milliseconds(text)),
  );
}

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

// Of a fraction with up to six digits the first three; digits beyond it are those of the zone.
function milliseconds(text: string): number {
  const end = text.length - 3;
  let result = 0;
  for (let at = FRACTION_AT, unit = 100; unit >= 1; at += 1, unit /= 10) if (at < end) result += digit(text, at) * unit;
  return result;
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - ZERO;
}
