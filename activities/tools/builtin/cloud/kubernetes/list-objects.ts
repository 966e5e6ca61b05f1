import { z } from 'zod';
import type { Cluster, ServiceRequest } from '../../../context.ts';
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
  /** Where the list goes on; undefined at its end. */
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
      cells.flatMap((cell, place) => (columns[place] === undefined ? [] : [[columns[place], cell]])),
    ),
  }));
  return { items, next };
}
