import type { Route } from '../../api/http/define-route.ts';
import { idSlotsOf as declaredSlotsOf } from '../../api/resources/allowlist-guard.ts';
import { type ResourceKey, resourceOf } from '../../domain/resources.ts';
import { canMake } from './make-records.ts';

/** A place of a request that holds the id of a record. */
export interface IdSlot {
  readonly part: 'path' | 'query' | 'body';
  /** The way to it, such as `capabilities.agent_ids[]`: a name for each object, `[]` for an element of a list. */
  readonly name: string;
  /** Undefined for the id of any record. */
  readonly resource: ResourceKey | undefined;
  /** A list is narrowed by it: what it names need not exist. */
  readonly isFilter: boolean;
  /** What `makeIds` calls the ids of such records; null when no record of the kind can exist yet. */
  readonly recordName: string | null;
}

/** Every place of a route's requests that holds the id of a record. */
export function idSlotsOf(route: Pick<Route, 'params' | 'query' | 'body'>): IdSlot[] {
  return declaredSlotsOf(route).map(({ part, way, resource, isFilter }) => {
    const name = way.join('.').replaceAll('.[]', '[]');
    const recordName = (resource && resourceOf(resource).idName) ?? name;
    return {
      part: part === 'params' ? 'path' : part,
      name,
      resource,
      isFilter,
      recordName: canMake(recordName) ? recordName : null,
    };
  });
}

/** A body that holds `id` in the slot, and is otherwise as given. */
export function withIdAt(body: Readonly<Record<string, unknown>>, name: string, id: string): Record<string, unknown> {
  const [first = '', ...rest] = name.split('.');
  if (first.endsWith('[]')) {
    const field = first.slice(0, -2);
    const element = rest.length === 0 ? id : withIdAt(firstOf(body[field]), rest.join('.'), id);
    return { ...body, [field]: [element] };
  }
  if (rest.length === 0) return { ...body, [first]: id };
  return { ...body, [first]: withIdAt({}, rest.join('.'), id) };
}

/** The first object of a list; an empty one when there is none. */
function firstOf(list: unknown): Record<string, unknown> {
  const [first]: unknown[] = Array.isArray(list) ? list : [];
  return { ...(typeof first === 'object' && first !== null ? first : {}) };
}
