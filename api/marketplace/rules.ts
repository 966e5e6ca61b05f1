import { findWithheld } from '../../domain/agents/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { ShippedDefinitions } from '../../domain/definitions/index.ts';
import type { MarketplaceItem } from '../../domain/marketplace/index.ts';
import { permits, type PermissionKey } from '../../domain/permissions/index.ts';
import { type AllowlistName, nameInSentence, resourceOf } from '../../domain/resources/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { checkOverride } from '../definitions/index.ts';
import { partsOf } from './catalog.ts';

const RESOURCE_OF = { agent: 'agents', tool: 'tools', skill: 'skills', persona: 'personas' } as const;

/**
 * Rejects an installation by somebody who could not add its records one by one, or give its agents what they come with:
 * installing grants nothing.
 */
export function checkMayInstall(caller: OrgCaller, item: MarketplaceItem, shipped: ShippedDefinitions): void {
  const { policy } = caller;
  for (const { kind, content } of item.definitions) checkOverride(caller, shipped, kind, content.key);
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
  for (const agent of item.agents) {
    const withheld = findWithheld(policy, agent);
    if (withheld === undefined) continue;
    const { resource, key } = withheld;
    throw forbidden(`Your permission groups do not let you use the ${nameInSentence(resource)} "${key}" of its agent`);
  }
}

function forbidden(words: string): AppError {
  return new AppError('forbidden', words);
}
