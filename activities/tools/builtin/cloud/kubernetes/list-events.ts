import { z } from 'zod';
import type { Cluster } from '../../../context.ts';
import { pathOf } from '../../services/path-of.ts';
import { readAnswer } from '../../services/read-answer.ts';

/** How many are read at once: the server gives them in no order, so the newest can be anywhere. */
const READ = 500;
const LISTED = 50;
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
  const leftOut = events.length - LISTED;
  return { events: events.slice(0, LISTED), ...(leftOut > 0 && { older_left_out: leftOut }), next };
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

// Times come with and without parts of a second, so their texts stand in another order.
function timeOf({ at }: { readonly at: string }): number {
  const time = Date.parse(at);
  return Number.isNaN(time) ? 0 : time;
}
