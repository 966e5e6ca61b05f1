import { AppError, notFound } from '../core/app-error.ts';
import { allowlistOf, type ResourceKey, resourceOf } from '../resources/index.ts';
import { mayRedirect, permits, type Policy } from './policy.ts';

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

/** Rejects a change of a record that decides which server the agents of others reach; see `mayRedirect`. */
export function requireMayRedirect(
  { policy, userId }: { readonly policy: Policy; readonly userId: string },
  record: { readonly ownerId: string | null },
  what: 'integration' | 'MCP server' | 'tool',
): void {
  if (mayRedirect(policy, userId, record)) return;
  throw new AppError(
    'forbidden',
    `Somebody else has added this ${what}: only they, administrators and members who are granted this by a permission group may change it`,
  );
}
