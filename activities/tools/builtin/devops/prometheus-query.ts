import { z } from 'zod';
import type { ServiceAnswer, ToolContext } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { actionsWith, defineServiceTool, pathOf, type ServiceCall } from '../services/service-tool.ts';
import { type ActionRequest, pickFields, readAnswer } from '../services/read-answer.ts';
import { keepWhole } from '../shown-text.ts';

const MAX_ALERTS = 50;
const MAX_TARGETS = 50;
const MAX_LABELS = 500;
const MAX_WARNINGS = 10;
/** Shorter than a request may take: so it is Prometheus that says that a query was too slow. */
const QUERY_TIMEOUT = '25s';
const USUAL_RANGE_SECONDS = 3_600;
/** The points of a series that the usual step makes. */
const USUAL_POINTS = 60;
const MIN_STEP_SECONDS = 15;

const time = z.string().min(1).max(40).optional();

const parameters = z.strictObject({
  query: z.string().min(1).max(10_000).optional().describe('PromQL; aggregate rather than read many series.'),
  time: time.describe(
    'In query: the moment; now unless given. Times are RFC 3339, seconds since 1970, or such as -2h.',
  ),
  start: time.describe('In query_range (an hour before the end unless given) and labels.'),
  end: time.describe('In query_range (now unless given) and labels.'),
  step: z
    .string()
    .regex(/^[0-9a-z.]{1,30}$/)
    .optional()
    .describe('In query_range: such as 30s or 5m; one that makes about 60 points unless given.'),
  label: z
    .string()
    .regex(/^[A-Za-z_]\w{0,199}$/)
    .optional()
    .describe('In labels: lists the values of this label, such as `__name__` for metrics, instead of the names.'),
  match: z
    .array(z.string().min(1).max(2_000))
    .min(1)
    .max(10)
    .optional()
    .describe('In labels: only of series that one of these selectors chooses, such as `up{job="api"}`.'),
  state: z.enum(['firing', 'pending']).optional().describe('In alerts.'),
  unhealthy_only: z.boolean().optional().describe('In targets.'),
});

type Arguments = z.output<typeof parameters>;
const { read } = actionsWith<Arguments>();

const alertsData = z.object({ alerts: z.array(z.looseObject({ state: z.string() })) });
const targetsData = z.object({ activeTargets: z.array(z.looseObject({ health: z.string() })) });
const labelsData = z.array(z.string());
const ALERT = 'state labels annotations activeAt value';
const TARGET = 'health scrapePool labels scrapeUrl lastError lastScrape';

const ACTIONS = {
  query: read(['query'], async ({ query, time: at }, call) => {
    const form = { query, time: at === undefined ? undefined : secondsOf(at, now()), timeout: QUERY_TIMEOUT };
    return runQuery('/query', form, call);
  }),
  query_range: read(['query'], async ({ query, step, ...range }, call) => {
    const [start, end] = rangeOf(range);
    const form = { query, start, end, step: step ?? stepFor(end - start), timeout: QUERY_TIMEOUT };
    return runQuery('/query_range', form, call);
  }),
  alerts: read([], async ({ state }, call) => {
    const answer = await call.service.request({ path: '/alerts' });
    const { data, ...said } = answerOf(answer, alertsData);
    const alerts = data.alerts.filter((alert) => state === undefined || alert.state === state);
    const first = sortedBy(alerts, (alert) => alert.state === 'firing');
    return show('alerts', firstOf(listOf(first, ALERT), MAX_ALERTS, 'alerts'), { answer, said, call });
  }),
  targets: read([], async ({ unhealthy_only: isUnhealthyOnly = false }, call) => {
    const answer = await call.service.request({ path: '/targets', query: { state: 'active' } });
    const { data, ...said } = answerOf(answer, targetsData);
    const targets = data.activeTargets.filter(({ health }) => !isUnhealthyOnly || health !== 'up');
    const first = sortedBy(targets, ({ health }) => health !== 'up');
    return show('targets', firstOf(listOf(first, TARGET), MAX_TARGETS, 'targets'), { answer, said, call });
  }),
  labels: read([], async ({ label, match, start, end }, call) => {
    const path = label === undefined ? '/labels' : pathOf`/label/${label}/values`;
    const moment = (text: string | undefined) => (text === undefined ? undefined : secondsOf(text, now()));
    const query = { 'match[]': match, start: moment(start), end: moment(end) };
    const answer = await call.service.request({ path, query });
    const { data, ...said } = answerOf(answer, labelsData);
    const name = label === undefined ? 'labels' : 'values';
    return show(name, firstOf(data, MAX_LABELS, name), { answer, said, call });
  }),
};

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

const MAX_SERIES = 40;
/** Of all series together: a point takes about 25 characters. */
const MAX_POINTS = 400;

const metric = z.record(z.string(), z.string());
const point = z.tuple([z.number(), z.unknown()]);

/** The result of a query, as the API of Prometheus has it. */
const queryData = z.discriminatedUnion('resultType', [
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

/** Asks a Prometheus server, or another one that speaks its API; nothing is changed there. */
export const prometheusQuery = defineServiceTool({
  key: 'prometheus_query',
  name: 'Prometheus',
  description:
    'Runs instant and range queries (PromQL) on a Prometheus server or one that speaks its API; lists alerts, targets, labels and metrics.',
  category: 'devops',
  kinds: ['prometheus'],
  parameters,
  actions: ACTIONS,
  approval: 'never',
});

function rangeOf({ start, end }: Pick<Arguments, 'start' | 'end'>): readonly [number, number] {
  const at = now();
  const to = end === undefined ? at : secondsOf(end, at);
  const from = start === undefined ? to - USUAL_RANGE_SECONDS : secondsOf(start, at);
  if (from > to) throw new ToolFailure('invalid_input', '`start` must not be after `end`');
  return [from, to];
}

function stepFor(seconds: number): number {
  return Math.max(MIN_STEP_SECONDS, Math.ceil(seconds / USUAL_POINTS));
}

// As a form: queries are longer than addresses may be.
async function runQuery(
  path: string,
  form: Readonly<Record<string, string | number | undefined>>,
  call: ServiceCall,
): Promise<unknown> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, String(value));
  const request: ActionRequest = {
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  };
  const answer = await call.service.request(request);
  const { data, ...said } = answerOf(answer, queryData);
  const result = await show('result', shownResult(data), { answer, said, call });
  return { result_type: data.resultType, ...result };
}

/** Warnings of Prometheus, such as about servers that did not answer. */
interface Said {
  readonly warnings?: readonly string[] | undefined;
  readonly infos?: readonly string[] | undefined;
}

function answerOf<S extends z.ZodType>(answer: ServiceAnswer, data: S): Said & { readonly data: z.output<S> } {
  const words = z.array(z.string()).optional();
  const schema = z.object({ status: z.literal('success'), data: z.unknown(), warnings: words, infos: words });
  const { data: given, warnings, infos } = readAnswer(answer, schema);
  return { data: readAnswer({ json: () => given, effect: 'read' }, data), warnings, infos };
}

interface Showing {
  readonly answer: ServiceAnswer;
  readonly said: Said;
  readonly call: ServiceCall;
}

async function show(name: string, part: ShownPart, { answer, said, call }: Showing) {
  const { warnings = [], infos = [] } = said;
  return {
    [name]: part.shown,
    ...(warnings.length > 0 && { warnings: warnings.slice(0, MAX_WARNINGS) }),
    ...(infos.length > 0 && { infos: infos.slice(0, MAX_WARNINGS) }),
    ...(await noteOfRest(part, answer.text, call.context)),
  };
}

function listOf(values: readonly unknown[], fields: string): readonly unknown[] {
  return values.map((value) => pickFields(value, fields));
}

function sortedBy<T>(values: readonly T[], isFirst: (value: T) => boolean): readonly T[] {
  return [...values.filter(isFirst), ...values.filter((value) => !isFirst(value))];
}

function now(): number {
  return Date.now() / 1_000;
}

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

type QueryData = z.output<typeof queryData>;

/** Returns what is shown of a result: the first series, and of each the newest points. */
function shownResult(data: QueryData): ShownPart {
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

/** A part of an answer that is shown, and a note about the rest. */
interface ShownPart {
  readonly shown: unknown;
  /** The part that is not shown, such as `20 series`; undefined when there is none. */
  readonly leftOut: string | undefined;
}

type FileContext = Pick<ToolContext, 'workspace' | 'idempotencyKey'>;

/** Returns the first values of a list, and how many others there are. */
function firstOf(values: readonly unknown[], most: number, what: string): ShownPart {
  const rest = values.length - most;
  return { shown: values.slice(0, most), leftOut: rest > 0 ? `${rest} more ${what}` : undefined };
}

/** Returns the note about the rest of an answer, which is stored completely as JSON in a file of the workspace. */
async function noteOfRest(
  { leftOut }: ShownPart,
  whole: string,
  context: FileContext,
): Promise<{ readonly left_out?: string; readonly file?: string | undefined }> {
  if (leftOut === undefined) return {};
  const file = await keepWhole({ bytes: Buffer.from(whole), name: 'prometheus.json', isForeign: true }, context);
  return file === undefined ? { left_out: `${leftOut}; the whole could not be kept` } : { left_out: leftOut, file };
}
