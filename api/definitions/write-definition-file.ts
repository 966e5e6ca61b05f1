import type { EntityManager } from '@mikro-orm/postgresql';
import { checkToolApproval } from '../../db/agents/index.ts';
import {
  checkDefinitionFile,
  readToolFile,
  saidBySkillFile,
  saidByToolFile,
  TOOL_FILE,
} from '../../definition-files/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import {
  type DefinitionRecord,
  readOwnFile,
  requireFileVersion,
  updateDefinition,
  writeFile,
} from '../../db/definitions/index.ts';
import { SKILL_FILE } from '../../domain/definitions/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';
import { checkChangeDirects, checkScript, lockChangeable, type WantedChange, withFileIssues } from './checks/index.ts';

/** Writes a file of a tool or skill. What a tool.json or SKILL.md says of its record, the record says from then on. */
export async function writeDefinitionFile(
  context: Pick<ApiContext, 'database' | 'definitions' | 'orgLimits'>,
  wanted: WantedChange,
  file: { readonly path: string; readonly content: string },
): Promise<void> {
  const { database, definitions, orgLimits } = context;
  const { caller, kind, expectedVersions } = wanted;
  await checkChangeDirects(context, wanted);
  await withFileIssues(async () => {
    checkDefinitionFile(kind, file.path, file.content);
    await checkScript(kind, new Map([[file.path, file.content]]), await database.payers.of(caller.orgId));
  }, 'content');
  await withOrgTransaction(database, caller.orgId, async (em) => {
    const record = await lockChangeable(em, definitions.shipped, wanted);
    await requireFileVersion(em, record, file.path, expectedVersions);
    if (kind === 'tool' && file.path === TOOL_FILE) {
      const former = await readOwnFile(em, record, TOOL_FILE);
      await checkToolApproval(em, caller, { key: record.key, former, wanted: file.content });
      await followToolFile(em, record, file.content);
    }
    if (kind === 'skill' && file.path === SKILL_FILE) await updateDefinition(em, record, saidBySkillFile(file.content));
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
