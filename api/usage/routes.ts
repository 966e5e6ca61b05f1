import { z } from 'zod';
import { BREAKDOWN_KINDS, readBreakdown } from '../../db/usage.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, pageParams, timestamp } from '../http/fields.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { present } from '../../domain/core/record-names.ts';
import { isAdministrator } from '../access/policies.ts';
import { readerOf } from '../chats/own-chat.ts';
import { defineRoute } from '../http/define-route.ts';

const date = z.iso.date();
const moment = z.union(
  [date, z.iso.datetime({ offset: true })],
  'must be a day such as 2026-11-01, or a time with an offset such as 2026-11-01T10:00:00Z',
);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEFAULT_DAYS = 30;

/** The longest period of a report. */
const LONGEST_DAYS = 366;

const usageQuery = z
  .strictObject({
    from: moment.optional().meta({
      description:
        'From the start of this day (UTC), or from this time, rounded down to the hour; defaults to 30 days before `to`',
    }),
    to: moment.optional().meta({
      description: 'To the end of this day (UTC), or to this time, rounded up to the hour; defaults to now',
    }),
    group_by: z.enum(BREAKDOWN_KINDS).default('day').meta({ description: 'What the lines are grouped by' }),
    scope: z.enum(['own', 'organization']).optional().meta({
      description: 'Your own usage, or that of everybody in the organization; defaults to the latter if you may see it',
    }),
    ...pageParams,
  })
  .refine((query) => periodOf(query).from < periodOf(query).to, { path: ['to'], error: 'must be after `from`' })
  .refine((query) => !isTooLong(periodOf(query)), {
    path: ['from'],
    error: `must be at most ${LONGEST_DAYS} days before \`to\``,
  });

const totals = {
  turns: z.int().meta({ description: 'Turns that called a model, including those of sub-agents' }),
  calls: z.int().meta({ description: 'Calls of models' }),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cached_input_tokens: z.int().meta({ description: "The part of the input read from providers' caches" }),
  reasoning_tokens: z.int().meta({ description: 'The part of the output that was reasoning' }),
  cost_usd: z.number().nullable().meta({
    description: 'US dollars, at the prices of that time, for the calls whose price was known; null when none was',
  }),
  unpriced_calls: z.int().meta({ description: 'Calls whose price was unknown' }),
  unpriced_tokens: z.int().meta({ description: 'Their tokens' }),
};

const lineSchema = z
  .object({
    key: z.string().nullable().meta({
      description:
        'A day, the id of an agent, user or chat, or a provider type and a model; null for an agent that is no longer known',
    }),
    name: z.string().nullable().meta({ description: 'null when it was deleted, and for private chats of others' }),
    ...totals,
  })
  .meta({ id: 'UsageLine' });

const totalsSchema = z.object(totals).meta({ id: 'UsageTotals' });

const EXAMPLE_TOTALS = {
  turns: 12,
  calls: 31,
  input_tokens: 48_210,
  output_tokens: 5_120,
  cached_input_tokens: 30_000,
  reasoning_tokens: 900,
  cost_usd: 0.1312,
  unpriced_calls: 0,
  unpriced_tokens: 0,
};

const usageReportSchema = z
  .object({
    from: timestamp,
    to: timestamp,
    group_by: z.enum(BREAKDOWN_KINDS),
    scope: z.enum(['own', 'organization']),
    totals: totalsSchema,
    lines: lineSchema.array().meta({ description: 'Days in chronological order; anything else by tokens, most first' }),
  })
  .meta({
    id: 'UsageReport',
    examples: [
      {
        from: EXAMPLE_TIME,
        to: EXAMPLE_TIME,
        group_by: 'agent',
        scope: 'organization',
        totals: EXAMPLE_TOTALS,
        lines: [{ key: EXAMPLE_ID, name: 'Helper', ...EXAMPLE_TOTALS }],
      },
    ],
  });

/** Whole hours; `to` is exclusive. */
interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** Returns the period that a caller names by dates or times: the last 30 days by default. */
function periodOf({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }): Period {
  const end = Math.ceil((to === undefined ? Date.now() : endOf(to)) / HOUR_MS) * HOUR_MS;
  const start = from === undefined ? end - DEFAULT_DAYS * DAY_MS : Date.parse(from);
  return { from: new Date(Math.floor(start / HOUR_MS) * HOUR_MS), to: new Date(end) };
}

/** Returns whether a period is longer than a report may be. */
function isTooLong({ from, to }: Period): boolean {
  return to.getTime() - from.getTime() > LONGEST_DAYS * DAY_MS;
}

function endOf(text: string): number {
  const isDay = !text.includes('T');
  return Date.parse(text) + (isDay ? DAY_MS : 0);
}

export const usageRoutes = [
  defineRoute({
    resource: 'usage',
    access: 'in_org',
    tag: 'Usage',
    method: 'get',
    path: '/api/usage',
    operationId: 'getUsage',
    summary: 'Get the tokens used and their cost, by day, agent, model, user or chat',
    description:
      'With `settings.manage` you see the usage of everybody in the organization, otherwise your own. Usage of deleted chats, agents and users counts too. `X-Total-Count` is the number of lines; the totals cover all of them.',
    query: usageQuery,
    errors: [403],
    response: { status: 200, schema: usageReportSchema },
    handler: async ({ caller, query, answerPage }, { database }) => {
      const seesAll = isAdministrator(caller);
      const { scope = seesAll ? 'organization' : 'own', group_by: groupBy } = query;
      if (scope === 'organization' && !seesAll)
        throw new AppError('forbidden', 'Only administrators see the usage of the whole organization');
      const period = periodOf(query);
      const filter = { ...period, userId: scope === 'own' ? caller.userId : undefined };
      const { lines, totals } = await readBreakdown(database, readerOf(caller), { kind: groupBy, filter, page: query });
      return present(usageReportSchema, { ...period, groupBy, scope, totals, lines: answerPage(lines) });
    },
  }),
];
