import {
  checkDefinitionFile,
  checkScriptFile,
  faultOf,
  readToolFile,
  saidBySkillFile,
  saidByToolFile,
  SCRIPT_FILE,
  TOOL_FILE,
} from '../../definition-files/index.ts';
import { type DefinitionFiles, type DefinitionKind, SKILL_FILE } from '../../domain/definitions/index.ts';
import { checkToolApproval } from '../agents/index.ts';
import { type Database, withOrgTransaction } from '../core/index.ts';
import { assignDefinition, deleteFile, readOwnFile, requireFileVersion, writeFile } from '../definitions/index.ts';
import { type DefinitionActor, type DefinitionDeps, type DefinitionRef, lockChangeable } from './rights.ts';

/** Writes a file of a tool or skill. What a tool.json or SKILL.md says of its record, the record says from then on. */
export async function writeDefinitionFile(
  deps: DefinitionDeps,
  actor: DefinitionActor,
  { expected, ...ref }: DefinitionRef,
  file: { readonly path: string; readonly content: string },
): Promise<void> {
  const { path, content } = file;
  checkDefinitionFile(ref.kind, path, content);
  await checkScript(deps.database, actor.orgId, ref.kind, new Map([[path, content]]));
  await withOrgTransaction(deps.database, actor.orgId, async (em) => {
    const record = await lockChangeable(em, deps, actor, ref);
    await requireFileVersion(em, record, path, expected);
    if (ref.kind === 'tool' && path === TOOL_FILE) {
      const { key } = record;
      await checkToolApproval(em, actor, { key, former: await readOwnFile(em, record, TOOL_FILE), wanted: content });
      const { key: saidKey = key, ...said } = saidByToolFile(readToolFile(content));
      if (saidKey !== key) throw faultOf(TOOL_FILE, `must have the key of the tool, "${key}", or none`);
      await assignDefinition(em, record, said);
    }
    if (ref.kind === 'skill' && path === SKILL_FILE) await assignDefinition(em, record, saidBySkillFile(content));
    await writeFile(em, record, file, deps.orgLimits);
  });
}

/** Deletes a file of a tool or skill. */
export async function deleteDefinitionFile(
  deps: DefinitionDeps,
  actor: DefinitionActor,
  { expected, ...ref }: DefinitionRef,
  path: string,
): Promise<void> {
  await withOrgTransaction(deps.database, actor.orgId, async (em) => {
    const record = await lockChangeable(em, deps, actor, ref);
    await requireFileVersion(em, record, path, expected);
    await deleteFile(em, record, path);
  });
}

/** Checks a main.js among the files of a tool, before the transaction that stores it. Throws a `DefinitionFault`. */
export async function checkScript(
  { payers }: Pick<Database, 'payers'>,
  orgId: string,
  kind: DefinitionKind,
  files: DefinitionFiles,
): Promise<void> {
  const script = kind === 'tool' ? files.get(SCRIPT_FILE) : undefined;
  if (script !== undefined) await checkScriptFile(script, await payers.of(orgId));
}
