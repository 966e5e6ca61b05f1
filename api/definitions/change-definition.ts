import type { EntityManager } from '@mikro-orm/postgresql';
import { checkToolApproval } from '../../db/agents/index.ts';
import {
  checkDefinitionFile,
  saidByStoredFile,
  type SaidFields,
  TOOL_FILE,
  writeSkillFile,
  writeToolFile,
} from '../../definition-files/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { type DefinitionRecord, readOwnFile, updateDefinition, writeFile } from '../../db/definitions/index.ts';
import { SKILL_FILE } from '../../domain/definitions/index.ts';
import { requireVersion } from '../../domain/resources/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import {
  checkChangeDirects,
  checkNewKey,
  checkOverride,
  lockChangeable,
  type WantedChange,
  withFileIssues,
} from './checks/index.ts';
import { divide, type SetFields } from './family.ts';

/** Changes the given fields of a definition. What its tool.json or SKILL.md says of the record is changed with it. */
export async function changeDefinition(
  context: Pick<ApiContext, 'database' | 'definitions' | 'orgLimits'>,
  wanted: WantedChange,
  changes: SetFields,
): Promise<void> {
  const { database, definitions, orgLimits } = context;
  const { caller, kind, allowedKeys, expectedVersions } = wanted;
  const { record: fields, persona } = divide(changes);
  await checkChangeDirects(context, wanted, fields.key);
  await withOrgTransaction(database, caller.orgId, async (em) => {
    const record = await lockChangeable(em, definitions.shipped, wanted);
    checkNewKey(kind, fields.key, allowedKeys);
    checkOverride(caller, definitions.shipped, kind, fields.key);
    requireVersion(record, expectedVersions);
    const merged = record.persona === null ? null : { ...record.persona, ...persona };
    if (kind === 'tool' && fields.key !== undefined && fields.key !== record.key) {
      const wanted = await readOwnFile(em, record, TOOL_FILE);
      await checkToolApproval(em, caller, { key: fields.key, former: undefined, wanted });
    }
    const former = saidOf(record);
    await updateDefinition(em, record, { ...fields, persona: merged });
    if (kind === 'tool') await changeToolFile(em, record, orgLimits);
    if (kind === 'skill') await changeSkillFile(em, record, former, orgLimits);
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
  const now = Object.fromEntries(Object.entries(saidOf(record)).filter(([field]) => said.includes(field)));
  const content = writeToolFile(text, now);
  if (content !== text) await writeFile(em, record, { path: TOOL_FILE, content }, limits);
}

async function changeSkillFile(
  em: EntityManager,
  record: DefinitionRecord,
  former: SaidFields,
  limits: ApiContext['orgLimits'],
): Promise<void> {
  const text = await readOwnFile(em, record, SKILL_FILE);
  if (text === undefined) return;
  const content = writeSkillFile(text, { former, now: saidOf(record) });
  if (content === text) return;
  // A record may say what SKILL.md cannot, such as a longer description.
  await withFileIssues(() => checkDefinitionFile('skill', SKILL_FILE, content), 'description');
  await writeFile(em, record, { path: SKILL_FILE, content }, limits);
}

function saidOf({ key, name, description, category, version }: DefinitionRecord): SaidFields {
  return { key, name, description, category, version };
}
