import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../domain/core/app-error.ts';
import type { DefinitionKind, ShippedDefinitions } from '../../domain/definitions/definition.ts';
import type { Membership, OrgLimits } from '../../domain/orgs.ts';
import { permits, type Policy, policyAllows } from '../../domain/permissions/policy.ts';
import { requireAllowed, requireMayAdd, requireMayRedirect } from '../../domain/permissions/restrict.ts';
import { type ExpectedVersions, requireVersion } from '../../domain/resources.ts';
import { requireMayDirect } from '../agents/may-direct.ts';
import type { Database } from '../core/database.ts';
import type { DefinitionRecord } from '../definitions/definition.entity.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { lockDefinition } from '../definitions/records.ts';

/** The dependencies of changes of definitions. */
export interface DefinitionDeps {
  readonly database: Database;
  readonly definitions: Pick<Definitions, 'shipped'>;
  readonly orgLimits: OrgLimits;
}

/** The user who changes definitions, or in whose name an agent does. */
export interface DefinitionActor extends Membership {
  readonly policy: Policy;
}

/** A definition that is changed, and the versions of it, or of its file, that the change is meant for. */
export interface DefinitionRef {
  readonly kind: DefinitionKind;
  readonly id: string;
  readonly expected?: ExpectedVersions;
}

const RESOURCES = { tool: 'tools', skill: 'skills', persona: 'personas' } as const;
const KEY_LISTS = { tool: 'toolKeys', skill: 'skillKeys' } as const;

/**
 * Rejects adding a definition that its creator could not use, or that would instruct agents whom the creator may not
 * direct.
 */
export async function requireMayAddDefinition(
  { database, definitions: { shipped } }: DefinitionDeps,
  actor: DefinitionActor,
  kind: DefinitionKind,
  key: string,
): Promise<void> {
  requireMayAdd(actor.policy, RESOURCES[kind]);
  requireMayOverride(actor, shipped, kind, key);
  // Agents name personas by id, and a new one has a new id.
  if (kind !== 'persona') await requireMayDirect(database, actor, { by: kind, names: [key] });
}

/**
 * Returns a definition that the actor may change or delete, also under a new key, locked until the transaction has
 * ended; `not_found`, `conflict` and `forbidden` when they may not, `precondition_failed` when it has another version.
 */
export async function lockChangeable(
  em: EntityManager,
  deps: DefinitionDeps,
  actor: DefinitionActor,
  { expected, ...ref }: DefinitionRef,
  newKey?: string,
): Promise<DefinitionRecord> {
  const { kind, id } = ref;
  if (deps.definitions.shipped.findById(kind, id) !== undefined)
    throw new AppError(
      'conflict',
      `Builtin ${kind}s cannot be changed or deleted; add one with the same key, which overrides it in your organization`,
    );
  const record = await lockDefinition(em, ref);
  requireAllowed(actor.policy, RESOURCES[kind], kind === 'persona' ? id : record.key);
  await requireMayChange(deps, actor, record, newKey);
  requireVersion(record, expected);
  return record;
}

/** Rejects changing a locked definition, also to a new key, that the actor can see. */
export async function requireMayChange(
  { database, definitions: { shipped } }: DefinitionDeps,
  actor: DefinitionActor,
  record: DefinitionRecord,
  newKey = record.key,
): Promise<void> {
  const { kind, id, key } = record;
  if (newKey !== key) requireMayUseKey(actor.policy, kind, newKey);
  for (const each of new Set([key, newKey])) requireMayOverride(actor, shipped, kind, each);
  if (kind === 'tool') requireMayRedirect(actor, record, kind);
  await requireMayDirect(database, actor, { by: kind, names: kind === 'persona' ? [id] : [key, newKey] });
}

/** Rejects a key that the actor could not use. */
export function requireMayUseKey(policy: Policy, kind: DefinitionKind, key: string): void {
  if (kind === 'persona' || permits(policy, KEY_LISTS[kind], key)) return;
  throw new AppError('forbidden', `Your permission groups do not let you use the ${kind} "${key}"`);
}

// It works in everybody's turns from then on, under a name that they trust.
function requireMayOverride(
  { policy }: DefinitionActor,
  shipped: ShippedDefinitions,
  kind: DefinitionKind,
  key: string,
): void {
  if (shipped.find(kind, key) === undefined || policyAllows(policy, 'settings.manage')) return;
  throw new AppError('forbidden', `Only administrators may replace the builtin ${kind} "${key}" for the organization`);
}
