import type { EntityManager } from '@mikro-orm/postgresql';
import { checkDefinitionFile, readToolFile, saidByToolFile, TOOL_FILE } from '../../builtin/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { type DefinitionRecord, lockDefinition, updateDefinition, writeFile } from '../../db/definitions/index.ts';
import type { DefinitionKind } from '../../domain/definitions/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';
import { checkOverride, requireAllowedKey, withFileIssues } from './rules.ts';

interface Written {
  readonly caller: OrgCaller;
  readonly kind: DefinitionKind;
  readonly id: string;
  /** The keys that the caller may use; all unless given. */
  readonly allowedKeys: readonly string[] | undefined;
}

/** Writes a file of a tool or skill. What a tool.json says of its record, the record says from then on. */
export async function writeDefinitionFile(
  { database, definitions, orgLimits }: Pick<ApiContext, 'database' | 'definitions' | 'orgLimits'>,
  { caller, kind, id, allowedKeys }: Written,
  file: { readonly path: string; readonly content: string },
): Promise<void> {
  await withFileIssues(() => checkDefinitionFile(kind, file.path, file.content), 'content');
  await withOrgTransaction(database, caller.orgId, async (em) => {
    const record = await lockDefinition(em, { kind, id });
    requireAllowedKey(kind, record.key, allowedKeys);
    checkOverride(caller, definitions.shipped, kind, record.key);
    if (kind === 'tool' && file.path === TOOL_FILE) await followToolFile(em, record, file.content);
    await writeFile(em, record, file, orgLimits);
  });
}

async function followToolFile(em: EntityManager, record: DefinitionRecord, content: string): Promise<void> {
  const { key, ...said } = saidByToolFile(readToolFile(content));
  if (key !== undefined && key !== record.key) {
    const msg = `${TOOL_FILE} must have the key of the tool, "${record.key}", or none`;
    throw new InvalidRequest([{ type: 'invalid_definition', loc: ['body', 'content', TOOL_FILE], msg }]);
  }
  await updateDefinition(em, record, said);
}
