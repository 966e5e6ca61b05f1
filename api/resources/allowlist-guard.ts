import { isBuiltin } from '../../builtin/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { allowedIds, permits, type Policy } from '../../domain/permissions/index.ts';
import { allowlistOf, resourceOf } from '../../domain/resources/index.ts';
import type { Route } from '../http/define-route.ts';
import { type IdSlot, idsAt, idSlotsOf } from './id-slots.ts';

/** The validated data of a request. */
type RequestData = Readonly<Record<IdSlot['part'], unknown>>;

/** Checks the requests of one route against the allowlists of the caller's policy. */
export class AllowlistGuard {
  readonly #own: ReturnType<typeof allowlistOf>;
  readonly #adds: boolean;
  readonly #checks: readonly ((policy: Policy, data: RequestData) => void)[];

  constructor(route: Route) {
    this.#own = allowlistOf(route.resource);
    this.#adds = route.method === 'post' && route.action === undefined;
    this.#checks = idSlotsOf(route).flatMap((slot) => checkOf(slot) ?? []);
  }

  /** Returns the ids of the route's resource to which the policy is restricted; undefined when it allows all. */
  allowedIds(policy: Policy): readonly string[] | undefined {
    return this.#own && allowedIds(policy, this.#own.name);
  }

  /** Rejects a request that names a record the policy does not allow, or adds one that its creator could not use. */
  check(policy: Policy, data: RequestData): void {
    if (this.#adds) this.#requireUnlisted(policy);
    for (const check of this.#checks) check(policy, data);
  }

  #requireUnlisted(policy: Policy): void {
    if (this.#own === undefined || this.allowedIds(policy) === undefined) return;
    throw new AppError(
      'forbidden',
      `Your permission groups allow certain ${this.#own.things} only, so you cannot add others`,
    );
  }
}

function checkOf({ part, way, resource, isFilter }: IdSlot) {
  const list = resource && allowlistOf(resource);
  // A list of keys says nothing of ids: the handler compares the key of the record that it reads.
  if (resource === undefined || list?.holds !== 'ids' || isFilter) return undefined;
  const mayUse = (policy: Policy, id: string) => permits(policy, list.name, id) || isBuiltin(resource, id);
  return (policy: Policy, data: RequestData) => {
    // A record that may not be used looks like one that does not exist.
    if (!idsAt(data[part], way).every((id) => mayUse(policy, id))) throw notFound(resourceOf(resource).name);
  };
}
