import { z } from 'zod';
import { isObject } from '../../../../../domain/core/objects.ts';
import type { Cluster, ServiceRequest } from '../../../context.ts';
import { pathOf } from '../../services/service-tool.ts';
import { readAnswer } from '../../services/read-answer.ts';

/** As `kubectl get` shows them: the cluster itself says what matters of a kind, in a few words each. */
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io, application/json';
const LISTED = 100;

const namedSchema = z.object({ metadata: z.object({ name: z.string(), namespace: z.string().optional() }) });
const pageSchema = z.object({ metadata: z.object({ continue: z.string().optional() }).default({}) });
const tableSchema = pageSchema.extend({
  kind: z.literal('Table'),
  columnDefinitions: z.array(z.object({ name: z.string(), priority: z.number().default(0) })),
  rows: z.array(z.object({ cells: z.array(z.unknown()), object: namedSchema.optional() })).nullable(),
});
const listSchema = pageSchema.extend({
  kind: z.string().endsWith('List'),
  items: z.array(namedSchema).nullable(),
});

interface ObjectPage {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** Where the list continues; undefined at its end. */
  readonly next: string | undefined;
}

interface Page {
  readonly selector: string | undefined;
  readonly cursor: string | undefined;
}

/** Returns a page of objects with what the cluster's own tools show of each. */
export async function listObjects(cluster: Cluster, path: string, { selector, cursor }: Page): Promise<ObjectPage> {
  const query: ServiceRequest['query'] = { limit: LISTED, labelSelector: selector, continue: cursor };
  const answer = await cluster.request({ path, query, headers: { Accept: TABLE }, effect: 'read' });
  const page = readAnswer(answer, z.union([tableSchema, listSchema]));
  const next = page.metadata.continue === '' ? undefined : page.metadata.continue;
  if (!('rows' in page)) return { items: (page.items ?? []).map(({ metadata }) => ({ ...metadata })), next };
  const columns = page.columnDefinitions.map(({ name, priority }) => (priority === 0 ? name.toLowerCase() : undefined));
  const items = (page.rows ?? []).map(({ cells, object }) => ({
    ...(object?.metadata.namespace !== undefined && { namespace: object.metadata.namespace }),
    ...Object.fromEntries(
      cells.flatMap((cell, index) => (columns[index] === undefined ? [] : [[columns[index], cell]])),
    ),
  }));
  return { items, next };
}

/** How many are read at once: the server gives them in no order, so the newest can be anywhere. */
const READ = 500;
const LISTED_EVENTS = 50;
const time = z.string().nullish();
const eventsSchema = z.object({
  items: z
    .array(
      z.object({
        type: z.string().nullish(),
        reason: z.string().nullish(),
        message: z.string().nullish(),
        count: z.number().nullish(),
        lastTimestamp: time,
        eventTime: time,
        series: z.object({ lastObservedTime: time, count: z.number().nullish() }).nullish(),
        metadata: z.object({ creationTimestamp: time }),
        involvedObject: z.object({ kind: z.string().optional(), name: z.string().optional() }).default({}),
      }),
    )
    .nullable(),
  metadata: z.object({ continue: z.string().optional() }).default({}),
});

interface Wanted {
  readonly namespace: string | undefined;
  /** Only those about this object. */
  readonly about?: { readonly kind: string | undefined; readonly name: string | undefined };
  readonly cursor?: string | undefined;
}

/**
 * Returns what has happened lately in a namespace, or to an object of it, newest first, and how many of those that were
 * read are older and left out.
 */
export async function listEvents(
  cluster: Cluster,
  { namespace, about = { kind: undefined, name: undefined }, cursor }: Wanted,
) {
  const path = namespace === undefined ? '/api/v1/events' : pathOf`/api/v1/namespaces/${namespace}/events`;
  const selectors = [
    ...(about.name === undefined ? [] : [`involvedObject.name=${about.name}`]),
    ...(about.kind === undefined ? [] : [`involvedObject.kind=${about.kind}`]),
  ];
  const fieldSelector = selectors.length === 0 ? undefined : selectors.join(',');
  const query = { limit: READ, fieldSelector, continue: cursor };
  const page = readAnswer(await cluster.request({ path, query, effect: 'read' }), eventsSchema);
  const events = (page.items ?? []).map(shownEvent).toSorted((one, other) => timeOf(other) - timeOf(one));
  const next = page.metadata.continue === '' ? undefined : page.metadata.continue;
  const leftOut = events.length - LISTED_EVENTS;
  return { events: events.slice(0, LISTED_EVENTS), ...(leftOut > 0 && { older_left_out: leftOut }), next };
}

type ReadEvent = NonNullable<z.infer<typeof eventsSchema>['items']>[number];

function shownEvent({ involvedObject: of, type, reason, message, ...event }: ReadEvent) {
  const count = event.series?.count ?? event.count ?? 1;
  return {
    at: lastTimeOf(event),
    about: `${of.kind ?? ''} ${of.name ?? ''}`,
    type: type ?? '',
    reason: reason ?? '',
    message: message ?? '',
    ...(count > 1 && { count }),
  };
}

type TimesOfEvent = Pick<ReadEvent, 'lastTimestamp' | 'eventTime' | 'series' | 'metadata'>;

function lastTimeOf({ lastTimestamp, eventTime, series, metadata }: TimesOfEvent): string {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '';
}

// Times come with and without fractions of a second, so their texts sort differently.
function timeOf({ at }: { readonly at: string }): number {
  const time = Date.parse(at);
  return Number.isNaN(time) ? 0 : time;
}

const HIDDEN = '***';
/** Annotations in which tools repeat the whole object that they applied. */
const REPEATS = /last-applied(?:-configuration)?$|^kapp\.k14s\.io\/original|^objectset\.rio\.cattle\.io\/applied/;

/**
 * Returns an object as models see it: without the bookkeeping of cluster tools, and with the names but not the values
 * of a Secret and its annotations.
 */
export function shownObject(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { kind, metadata, ...rest } = value;
  const shown = { kind, metadata: shownMetadata(metadata), ...rest };
  if (Array.isArray(value['items'])) return { ...shown, items: value['items'].map((each) => shownItem(each, kind)) };
  return kind === 'Secret' ? withoutValues(shown) : shown;
}

// Items of a list do not always say of which kind they are.
function shownItem(item: unknown, listKind: unknown): unknown {
  const shown = shownObject(item);
  return listKind === 'SecretList' && isObject(shown) ? withoutValues(shown) : shown;
}

function withoutValues(secret: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { metadata } = secret;
  // Whoever copies Secrets around keeps them there too.
  const shown = isObject(metadata) ? { ...secret, metadata: withHidden(metadata, ['annotations']) } : secret;
  return withHidden(shown, ['data', 'stringData']);
}

function withHidden(
  object: Readonly<Record<string, unknown>>,
  members: readonly string[],
): Readonly<Record<string, unknown>> {
  const hidden = members.flatMap((member) => {
    const values = object[member];
    if (values === undefined || values === null) return [];
    const names = isObject(values) ? Object.keys(values) : [];
    return [[member, Object.fromEntries(names.map((each) => [each, HIDDEN]))]];
  });
  return { ...object, ...Object.fromEntries(hidden) };
}

function shownMetadata(metadata: unknown): unknown {
  if (!isObject(metadata)) return metadata;
  const { managedFields: _, annotations, ...rest } = metadata;
  if (!isObject(annotations)) return rest;
  const kept = Object.entries(annotations).filter(([name]) => !REPEATS.test(name));
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) };
}
