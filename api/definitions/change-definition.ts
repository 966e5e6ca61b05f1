import type { EntityManager } from '@mikro-orm/postgresql';
import { saidByStoredFile, TOOL_FILE, writeToolFile } from '../../builtin/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import {
  type DefinitionRecord,
  lockDefinition,
  readOwnFile,
  updateDefinition,
  writeFile,
} from '../../db/definitions/index.ts';
import type { DefinitionKind } from '../../domain/definitions/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { divide, type SetFields } from './family.ts';
import { checkNewKey, checkOverride, requireAllowedKey } from './rules.ts';

interface Changed {
  readonly caller: OrgCaller;
  readonly kind: DefinitionKind;
  readonly id: string;
  /** The keys that the caller may use; all unless given. */
  readonly allowedKeys: readonly string[] | undefined;
}

/** Changes the given fields of a definition. What its tool.json says of the record is changed with it. */
export async function changeDefinition(
  { database, definitions, orgLimits }: Pick<ApiContext, 'database' | 'definitions' | 'orgLimits'>,
  { caller, kind, id, allowedKeys }: Changed,
  changes: SetFields,
): Promise<void> {
  const { record: fields, persona } = divide(changes);
  await withOrgTransaction(database, caller.orgId, async (em) => {
    const record = await lockDefinition(em, { kind, id });
    requireAllowedKey(kind, record.key, allowedKeys);
    checkNewKey(kind, fields.key, allowedKeys);
    checkOverride(caller, definitions.shipped, kind, record.key);
    checkOverride(caller, definitions.shipped, kind, fields.key);
    const merged = record.persona === null ? null : { ...record.persona, ...persona };
    await updateDefinition(em, record, { ...fields, persona: merged });
    if (kind === 'tool') await changeToolFile(em, record, orgLimits);
  });
}

async function changeToolFile(
  em: EntityManager,
  record: DefinitionRecord,
  limits: ApiContext['orgLimits'],
): Promise<void> {
  const text = await readOwnFile(em, record, TOOL_FILE);
  if (text === undefined) return;
  const said = Object.keys(saidByStoredFile(text));
  const { key, name, description, category, version } = record;
  const fields = { key, name, description, category, version };
  const now = Object.fromEntries(Object.entries(fields).filter(([field]) => said.includes(field)));
  const content = writeToolFile(text, now);
  if (content !== text) await writeFile(em, record, { path: TOOL_FILE, content }, limits);
}
