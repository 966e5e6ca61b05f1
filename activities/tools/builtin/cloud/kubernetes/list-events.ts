import { z } from 'zod';
import type { Cluster } from '../../../context.ts';
import { pathOf } from '../../services/path-of.ts';
import { readAnswer } from '../../services/read-answer.ts';

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

/** Returns what has happened lately in a namespace, or to an object of it, oldest first. */
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
  const query = { limit: LISTED, fieldSelector, continue: cursor };
  const page = readAnswer(await cluster.request({ path, query, effect: 'read' }), eventsSchema);
  const events = (page.items ?? []).map(({ metadata, involvedObject: of, lastTimestamp, eventTime, ...event }) => ({
    at: lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '',
    about: `${of.kind ?? ''} ${of.name ?? ''}`,
    type: event.type ?? '',
    reason: event.reason ?? '',
    message: event.message ?? '',
    ...(typeof event.count === 'number' && event.count > 1 && { count: event.count }),
  }));
  const next = page.metadata.continue === '' ? undefined : page.metadata.continue;
  return { events: events.toSorted((one, other) => (one.at < other.at ? -1 : 1)), next };
}
