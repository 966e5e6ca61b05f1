import type { EntityManager } from '@mikro-orm/postgresql';
import { checkToolApproval } from '../../db/agents/index.ts';
import { DefinitionFault, TOOL_FILE } from '../../definition-files/index.ts';
import type { ComparedRecord, InstallOptions } from '../../db/marketplace/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { Payer } from '../../domain/core/keyed-semaphore.ts';
import type { DefinitionKind, ShippedDefinitions } from '../../domain/definitions/index.ts';
import type { MarketplaceItem } from '../../domain/marketplace/index.ts';
import { permits, type PermissionKey } from '../../domain/permissions/index.ts';
import { type AllowlistName, resourceOf } from '../../domain/resources/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { checkOverride, checkScript, checkStandIn } from '../definitions/index.ts';
import { checkDirection } from '../resources/check-direction.ts';
import { checkMayRedirect } from '../resources/check-may-redirect.ts';
import { partsOf } from './catalog.ts';

const RESOURCE_OF = { agent: 'agents', tool: 'tools', skill: 'skills', persona: 'personas' } as const;

/**
 * Rejects an item with a tool that could not be run: one that only describes a builtin tool, or whose code cannot be
 * read.
 */
export async function checkRuns(item: MarketplaceItem, shipped: ShippedDefinitions, payer: Payer): Promise<void> {
  try {
    for (const { kind, content } of item.definitions) {
      checkStandIn(shipped, kind, content);
      await checkScript(kind, content.files, payer);
    }
  } catch (error) {
    if (!(error instanceof DefinitionFault)) throw error;
    throw new AppError('unprocessable', `The item cannot be installed: ${error.message}`, { cause: error });
  }
}

/** Rejects an installation by a caller who may not add its records one by one: installing grants nothing. */
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
}

/**
 * Rejects an installation after which agents that use what it brings would be told something else, and its caller may
 * not direct them.
 */
export async function checkInstallDirects(
  context: Pick<ApiContext, 'database'>,
  caller: OrgCaller,
  { definitions }: MarketplaceItem,
): Promise<void> {
  const keysOf = (wanted: DefinitionKind) =>
    definitions.filter(({ kind }) => kind === wanted).map(({ content }) => content.key);
  await checkDirection(context, caller, { by: 'tool', names: keysOf('tool') });
  await checkDirection(context, caller, { by: 'skill', names: keysOf('skill') });
  await checkDirection(context, caller, { by: 'persona_key', names: keysOf('persona') });
}

/**
 * Makes what rejects tools that replace one which the caller may not redirect, or whose calls would wait less than
 * those of the organization's tools that they replace.
 */
export function replacementCheck(em: EntityManager, caller: OrgCaller): InstallOptions['checkReplacement'] {
  return async (former, { kind, content: { key, files } }) => {
    if (kind !== 'tool') return;
    if (former !== null) checkMayRedirect(caller, former, kind);
    const formerFile = former?.content.files.get(TOOL_FILE);
    await checkToolApproval(em, caller, { key, former: formerFile, wanted: files.get(TOOL_FILE) });
  };
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
