import { z } from 'zod';
import { firstOf, type ShownPart } from './shown-list.ts';

const MAX_SERIES = 40;
/** Of all series together: a point takes about 25 characters. */
const MAX_POINTS = 400;

const metric = z.record(z.string(), z.string());
const point = z.tuple([z.number(), z.unknown()]);

/** The result of a query, as the API of Prometheus has it. */
export const queryData = z.discriminatedUnion('resultType', [
  z.object({
    resultType: z.literal('vector'),
    result: z.array(z.looseObject({ metric, value: point.optional(), histogram: point.optional() })),
  }),
  z.object({
    resultType: z.literal('matrix'),
    result: z.array(
      z.looseObject({ metric, values: z.array(point).optional(), histograms: z.array(point).optional() }),
    ),
  }),
  z.object({ resultType: z.enum(['scalar', 'string']), result: point }),
]);

type QueryData = z.output<typeof queryData>;

/** Returns what is shown of a result: the first series, and of each the newest points. */
export function shownResult(data: QueryData): ShownPart {
  if (data.resultType === 'vector') return firstOf(data.result, MAX_SERIES, 'series');
  if (data.resultType !== 'matrix') return { shown: data.result, leftOut: undefined };
  const series = firstOf(data.result, MAX_SERIES, 'series');
  const first = data.result.slice(0, MAX_SERIES);
  const most = Math.floor(MAX_POINTS / Math.max(1, first.length));
  const shown = first.map(({ values, histograms, ...rest }) => ({
    ...rest,
    ...(values !== undefined && { values: values.slice(-most) }),
    ...(histograms !== undefined && { histograms: histograms.slice(-most) }),
  }));
  const longest = Math.max(
    0,
    ...first.map(({ values = [], histograms = [] }) => Math.max(values.length, histograms.length)),
  );
  const older = longest > most ? `points before the newest ${most} of a series` : undefined;
  const leftOut = [series.leftOut, older].filter((each) => each !== undefined).join('; ');
  return { shown, leftOut: leftOut === '' ? undefined : leftOut };
}
