const MAX_WAIT_MS = 24 * 60 * 60 * 1000;
// RFC 9110, section 5.6.7: the present form and the two obsolete ones. `Date.parse` alone takes nearly anything.
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/;

/**
 * How long a provider asks to be left alone, in milliseconds, a day at most: its headers, or Google's `RetryInfo` among
 * the details of its error. Undefined when it says nothing, or nothing that makes sense.
 */
export function retryAfterMs(headers: Headers | undefined, retryDelay: string): number | undefined {
  const candidates = [
    milliseconds(headers?.get('retry-after-ms'), 1),
    milliseconds(headers?.get('retry-after'), 1000),
    untilDate(headers?.get('retry-after')),
    milliseconds(/^([\d.]+)s$/.exec(retryDelay)?.[1], 1000),
  ];
  return candidates.find((wait) => wait !== undefined);
}

function milliseconds(text: string | null | undefined, unit: number): number | undefined {
  if (typeof text !== 'string' || !/^\s*\d+(\.\d*)?\s*$/.test(text)) return undefined;
  return capped(Number(text) * unit);
}

function untilDate(text: string | null | undefined): number | undefined {
  if (typeof text !== 'string' || !HTTP_DATE.test(text)) return undefined;
  const wait = Date.parse(text) - Date.now();
  return wait >= 0 ? capped(wait) : undefined;
}

function capped(wait: number): number {
  return Math.min(Math.ceil(wait), MAX_WAIT_MS);
}
