import { mayDirectAll } from '../../../db/agents/index.ts';
import { readDefinition } from '../../../db/definitions/index.ts';
import type { DefinitionKind } from '../../../domain/definitions/index.ts';
import type { ExpectedVersions } from '../../../domain/resources/index.ts';
import type { ApiContext, OrgCaller } from '../../context/api-context.ts';
import { checkDirection } from '../../resources/check-direction.ts';

/** A definition that somebody wants to change. */
export interface WantedChange {
  readonly caller: OrgCaller;
  readonly kind: DefinitionKind;
  readonly id: string;
  /** The keys that the caller may use; all unless given. */
  readonly allowedKeys: readonly string[] | undefined;
  /** The versions of the record, or of the file of it, that the change is meant for; any unless given. */
  readonly expectedVersions?: ExpectedVersions;
}

/**
 * Rejects changing or deleting a definition that agents use which the caller may not direct, also under its new key.
 */
export async function checkChangeDirects(
  context: Pick<ApiContext, 'database' | 'definitions'>,
  { caller, kind, id, allowedKeys }: WantedChange,
  newKey?: string,
): Promise<void> {
  const { orgId, policy } = caller;
  if (mayDirectAll(policy)) return;
  const ref = { orgId, kind, id, onlyKeys: allowedKeys };
  const { key } = await readDefinition(context.database, context.definitions.shipped, ref);
  if (kind === 'persona') await checkDirection(context, caller, { by: kind, names: [id] });
  else await checkDirection(context, caller, { by: kind, names: newKey === undefined ? [key] : [key, newKey] });
}

/** Rejects adding a definition under a key that agents name already which the caller may not direct. */
export async function checkAdditionDirects(
  context: Pick<ApiContext, 'database'>,
  { caller, kind, key }: Pick<WantedChange, 'caller' | 'kind'> & { readonly key: string },
): Promise<void> {
  // Agents name personas by id, and a new one has a new id.
  if (kind !== 'persona') await checkDirection(context, caller, { by: kind, names: [key] });
}
