import type { Service, ServiceRequest } from '../../context.ts';
import { nextQueryOf } from './next-page.ts';
import { pickFields } from './pick-fields.ts';

interface ListRequest extends Pick<ServiceRequest, 'path' | 'query'> {
  /** The `next` of a former page, which replaces the query. */
  readonly cursor: string | undefined;
  /** What is kept of each record. */
  readonly fields: readonly string[];
  /** The member of the answer that is the list; the answer itself unless given. */
  readonly within?: string;
}

/** Reads a page of a list whose pages lead to each other by the header `Link`. */
export async function listPage(
  service: Service,
  { path, query, cursor, fields, within }: ListRequest,
): Promise<{ readonly items: unknown; readonly next: string | undefined }> {
  const where = cursor === undefined ? { path, query } : { path: `${path}?${new URLSearchParams(cursor).toString()}` };
  const answer = await service.request({ ...where, effect: 'read' });
  const json = answer.json();
  const items = within === undefined ? json : membersOf(json).get(within);
  return { items: pickFields(items, fields), next: nextQueryOf(answer) };
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}
