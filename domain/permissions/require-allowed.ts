import { AppError, notFound } from '../core/app-error.ts';
import { allowlistOf, type ResourceKey, resourceOf } from '../resources/index.ts';
import { permits, type Policy } from './policy.ts';

/** Throws `not_found` for a record that an allowlist leaves out: it looks like one that does not exist. */
export function requireAllowed(policy: Policy, resource: ResourceKey, id: string): void {
  const list = allowlistOf(resource);
  if (list !== undefined && !permits(policy, list.name, id)) throw notFound(resourceOf(resource).name);
}

/** Rejects adding a record to a resource with an allowlist: whoever adds it could not use it. */
export function requireMayAdd(policy: Policy, resource: ResourceKey): void {
  const list = allowlistOf(resource);
  if (list === undefined || policy.allowlists[list.name] === 'all') return;
  throw new AppError('forbidden', `Your permission groups allow certain ${list.things} only, so you cannot add others`);
}
