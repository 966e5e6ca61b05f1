import { isBuiltin } from '../../builtin/index.ts';
import { allowedIds, type Policy, requireAllowed, requireMayAdd } from '../../domain/permissions/index.ts';
import { allowlistOf, type ResourceKey } from '../../domain/resources/index.ts';
import type { Route } from '../http/define-route.ts';
import { type IdSlot, idsAt, idSlotsOf } from './id-slots.ts';

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
  if (resource === undefined || allowlistOf(resource)?.holds !== 'ids' || isFilter) return undefined;
  return (policy: Policy, data: RequestData) => {
    for (const id of idsAt(data[part], way)) if (!isBuiltin(resource, id)) requireAllowed(policy, resource, id);
  };
}
