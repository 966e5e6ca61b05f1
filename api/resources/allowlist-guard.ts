import { z } from 'zod';
import { isBuiltin } from '../../builtin/index.ts';
import { allowedIds, requireAllowed, requireMayAdd } from '../../domain/permissions/restrict.ts';
import type { Policy } from '../../domain/permissions/policy.ts';
import { allowlistOf, type ResourceKey } from '../../domain/resources.ts';
import type { Route } from '../http/define-route.ts';
import { idFieldOf } from './id-fields.ts';

/** The validated data of a request. */
type RequestData = Readonly<Record<IdSlot['part'], unknown>>;

/** Checks the requests of one route against the allowlists of the caller's policy. */
export class AllowlistGuard {
  readonly #resource: ResourceKey;
  readonly #adds: boolean;
  readonly #checks: readonly ((policy: Policy, data: RequestData) => void)[];

  constructor(route: Route) {
    this.#resource = route.resource;
    this.#adds = route.method === 'post' && route.action === undefined;
    this.#checks = idSlotsOf(route).flatMap((slot) => checkOf(slot) ?? []);
  }

  /** Returns the ids of the route's resource to which the policy is restricted; undefined when it allows all. */
  allowedIds(policy: Policy): readonly string[] | undefined {
    const own = allowlistOf(this.#resource);
    return own && allowedIds(policy, own.name);
  }

  /** Rejects a request that names a record the policy does not allow, or adds one that its creator could not use. */
  check(policy: Policy, data: RequestData): void {
    if (this.#adds) requireMayAdd(policy, this.#resource);
    for (const check of this.#checks) check(policy, data);
  }
}

function checkOf({ part, way, resource, isFilter }: IdSlot) {
  // A list of keys says nothing of ids: the handler compares the key of the record that it reads.
  if (resource === undefined || allowlistOf(resource)?.entryKind !== 'ids' || isFilter) return undefined;
  return (policy: Policy, data: RequestData) => {
    for (const id of idsAt(data[part], way)) if (!isBuiltin(resource, id)) requireAllowed(policy, resource, id);
  };
}

/** A path segment that leads to each element of a list. */
const EACH = '[]';

/** A position in a request that contains ids, by its schema. */
interface IdSlot {
  readonly part: 'params' | 'query' | 'body';
  /** The names of the fields that lead to it, outermost first. */
  readonly way: readonly string[];
  /** Undefined for the id of any record. */
  readonly resource: ResourceKey | undefined;
  readonly isFilter: boolean;
}

/** Returns every position of a route's requests that contains ids. */
export function idSlotsOf(route: Pick<Route, 'params' | 'query' | 'body'>): IdSlot[] {
  return (['params', 'query', 'body'] as const).flatMap((part) => slotsIn(route[part], { part, way: [] }));
}

function slotsIn(schema: z.core.$ZodType | undefined, position: Pick<IdSlot, 'part' | 'way'>): IdSlot[] {
  const field = schema && idFieldOf(schema);
  if (field !== undefined) return [{ ...position, ...field }];
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, inner]) => slotsIn(inner, below(position, name)));
  if (schema instanceof z.ZodArray) return slotsIn(schema.element, below(position, EACH));
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => slotsIn(option, position));
  if (schema instanceof z.ZodPipe) return slotsIn(schema.in, position);
  const isWrapper =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapper ? slotsIn(schema.unwrap(), position) : [];
}

function below({ part, way }: Pick<IdSlot, 'part' | 'way'>, name: string): Pick<IdSlot, 'part' | 'way'> {
  return { part, way: [...way, name] };
}

/** Returns the ids at a position in the data of a request. */
function idsAt(data: unknown, [step, ...rest]: readonly string[]): string[] {
  if (step === undefined) return typeof data === 'string' ? [data] : [];
  if (step === EACH) return Array.isArray(data) ? data.flatMap((element) => idsAt(element, rest)) : [];
  return typeof data === 'object' && data !== null ? idsAt(Reflect.get(data, step), rest) : [];
}
