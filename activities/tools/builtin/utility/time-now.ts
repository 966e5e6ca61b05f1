import { z } from 'zod';
import type { TimeArguments } from '../../compute/job.ts';
import { isPlain, describeTime } from '../../compute/describe-time.ts';
import { defineTool } from '../../define-tool.ts';

const parameters = z.strictObject({
  zone: words(64).describe(
    'IANA time zone, such as `Europe/Berlin`; `UTC` when left out. Times without an offset are read in it.',
  ),
  at: words(64).describe('The time to start from, ISO 8601, such as `2026-03-29T01:30`; now when left out.'),
  add: words(100).describe(
    'What to add: ISO 8601, such as `P1DT2H`, or words, such as `3 days 2 hours` or `-2 weeks`.',
  ),
  to_zone: words(64).describe('IANA time zone to convert the result to.'),
  parse: words(200).describe('A date in English words, such as `next friday at 5pm`, read relative to `at`.'),
  cron: words(100).describe(
    'A cron line with five fields, such as `0 9 * * 1-5`; the next five runs after `at` are listed.',
  ),
});

/** Makes the tool that reads and calculates times by a given clock. */
export function createTimeNow(now: () => number) {
  return defineTool({
    key: 'time_now',
    name: 'Time',
    description:
      'Returns the current time in a time zone, and calculates with times: converts between zones, adds durations, parses dates written in words, and lists the next runs of a cron expression. ' +
      "Use it whenever the answer depends on today's date or the time of day.",
    category: 'utility',
    parameters,
    effect: 'read',
    timeoutSeconds: 10,
    inline: true,
    run: async (given: TimeArguments, { compute }) => {
      if (isPlain(given)) return { value: describeTime(now(), given) };
      return { value: JSON.parse(await compute({ kind: 'time', now: now(), given })) };
    },
  });
}

/** Reads and calculates times. */
export const timeNow = createTimeNow(Date.now);

function words(maxLength: number) {
  return z.string().min(1).max(maxLength).optional();
}
