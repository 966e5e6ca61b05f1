import type { ComparedRecord } from '../../db/marketplace/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { MarketplaceItem } from '../../domain/marketplace.ts';
import { permits, type PermissionKey } from '../../domain/permissions/index.ts';
import { type AllowlistName, resourceOf } from '../../domain/resources.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { partsOf } from './catalog.ts';

const RESOURCE_OF = { agent: 'agents', tool: 'tools', skill: 'skills', persona: 'personas' } as const;

/** Rejects an installation by a caller who may not add its records one by one: installing grants nothing. */
export function checkMayInstall({ policy }: OrgCaller, item: MarketplaceItem): void {
  for (const { kind, key } of partsOf(item)) {
    const { area, allowlist } = resourceOf(RESOURCE_OF[kind]);
    const right = `${area ?? ''}.manage` as PermissionKey;
    if (!policy.keys.has(right)) throw forbidden(`You need ${right} to install the ${kind} "${key}"`);
    if (allowlist === undefined || policy.allowlists[allowlist.name as AllowlistName] === 'all') continue;
    if (allowlist.holds === 'ids' || !permits(policy, allowlist.name as AllowlistName, key))
      throw forbidden(
        `Your permission groups allow certain ${allowlist.things} only, so you cannot install the ${kind} "${key}"`,
      );
  }
}

/** Returns whether a caller may see a record of the organization that an item would change. */
export function maySeeRecord({ policy }: OrgCaller, { kind, key, id }: ComparedRecord): boolean {
  const { area, allowlist } = resourceOf(RESOURCE_OF[kind]);
  if (!policy.keys.has(`${area ?? ''}.view` as PermissionKey)) return false;
  return (
    allowlist === undefined || permits(policy, allowlist.name as AllowlistName, allowlist.holds === 'ids' ? id : key)
  );
}

function forbidden(words: string): AppError {
  return new AppError('forbidden', words);
}
