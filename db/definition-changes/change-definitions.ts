import type { EntityManager } from '@mikro-orm/postgresql';
import {
  checkDefinitionFile,
  checkScriptFile,
  DEFAULT_VERSION,
  faultOf,
  readToolFile,
  saidBySkillFile,
  saidByStoredFile,
  saidByToolFile,
  type SaidFields,
  SCRIPT_FILE,
  TOOL_FILE,
  writeSkillFile,
  writeToolFile,
} from '../../definition-files/index.ts';
import type {
  DefinitionContent,
  DefinitionFiles,
  DefinitionKind,
  PersonaFields,
} from '../../domain/definitions/definition.ts';
import { SKILL_FILE } from '../../domain/definitions/files.ts';
import { checkToolApproval } from '../agents/check-tool-approval.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import {
  assignDefinition,
  findDefinition,
  insertDefinition,
  removeDefinition,
  replaceContent,
} from '../definitions/records.ts';
import { DefinitionRecord } from '../definitions/definition.entity.ts';
import { deleteFile, readOwnFile, requireFileVersion, writeFile } from '../definitions/files.ts';
import {
  type DefinitionActor,
  type DefinitionDeps,
  type DefinitionRef,
  lockChangeable,
  requireMayAddDefinition,
  requireMayChange,
  requireMayUseKey,
} from './rights.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import { addOnce } from '../records/records.ts';

// Every interface changes definitions through these functions, once it has checked that its caller has the `manage` key
// of their kind.

/** The fields of a definition that change, those of every kind and those of personas. */
interface DefinitionChanges {
  readonly record: Partial<Omit<DefinitionContent, 'files' | 'persona'>>;
  readonly persona: Partial<PersonaFields>;
}

/** A tool that an agent writes. An existing tool keeps its version, and its category unless one is given. */
export type WrittenTool = Pick<DefinitionContent, 'key' | 'name' | 'description' | 'files'> & {
  readonly category?: string;
};

/** Adds a definition, whose files were checked (`checkContent`) or are written one by one later. */
export async function createDefinition(
  deps: DefinitionDeps,
  actor: DefinitionActor,
  kind: DefinitionKind,
  content: DefinitionContent,
): Promise<DefinitionRecord> {
  return withOrgTransaction(deps.database, actor.orgId, (em) => addDefinition(em, deps, actor, { kind }, content));
}

/** Adds or replaces a tool on behalf of an agent, which replaces no builtin one. The same id again adds nothing. */
export async function writeToolFor(
  deps: DefinitionDeps,
  actor: DefinitionActor,
  id: string,
  tool: WrittenTool,
): Promise<DefinitionRecord> {
  const { key } = tool;
  const { database, definitions } = deps;
  const within = async <T>(work: (em: EntityManager) => Promise<T>) => withOrgTransaction(database, actor.orgId, work);
  const find = async () => within(async (em) => (await em.findOne(DefinitionRecord, { id })) ?? undefined);
  return addOnce(find, async () => {
    requireMayUseKey(actor.policy, 'tool', key);
    if (definitions.shipped.find('tool', key) !== undefined)
      throw new AppError('forbidden', `The builtin tool "${key}" is not replaced by an agent; choose another key`);
    for (const [path, text] of tool.files) checkDefinitionFile('tool', path, text);
    await checkContent(deps, actor, 'tool', tool);
    return within(async (em) => {
      const record = await findDefinition(em, { kind: 'tool', key });
      const { version, category } = record ?? { version: DEFAULT_VERSION, category: 'custom' };
      const content = { ...tool, version, category: tool.category ?? category, persona: null };
      if (record === null) return addDefinition(em, deps, actor, { kind: 'tool', id }, content);
      return replaceDefinition(em, deps, actor, record, content);
    });
  });
}

/** Changes the given fields of a definition, and updates them in its tool.json or SKILL.md. */
export async function updateDefinition(
  deps: DefinitionDeps,
  actor: DefinitionActor,
  ref: DefinitionRef,
  { record: fields, persona }: DefinitionChanges,
): Promise<void> {
  await withOrgTransaction(deps.database, actor.orgId, async (em) => {
    const record = await lockChangeable(em, deps, actor, ref, fields.key);
    if (ref.kind === 'tool' && fields.key !== undefined && fields.key !== record.key) {
      const wanted = await readOwnFile(em, record, TOOL_FILE);
      await checkToolApproval(em, actor, { key: fields.key, former: undefined, wanted });
    }
    const former = saidOf(record);
    const merged = record.persona === null ? null : { ...record.persona, ...persona };
    await assignDefinition(em, record, { ...fields, persona: merged });
    if (ref.kind === 'tool') await changeToolFile(em, record, deps.orgLimits);
    if (ref.kind === 'skill') await changeSkillFile(em, record, former, deps.orgLimits);
  });
}

/** Deletes a definition with its files. */
export async function deleteDefinition(
  deps: DefinitionDeps,
  actor: DefinitionActor,
  ref: DefinitionRef,
): Promise<void> {
  await withOrgTransaction(deps.database, actor.orgId, async (em) => {
    await lockChangeable(em, deps, actor, ref);
    await removeDefinition(em, ref);
  });
}

/** Adds a definition whose content was checked. */
export async function addDefinition(
  em: EntityManager,
  deps: DefinitionDeps,
  actor: DefinitionActor,
  { kind, ...origin }: { readonly kind: DefinitionKind; readonly id?: string; readonly slug?: string },
  content: DefinitionContent,
): Promise<DefinitionRecord> {
  const { key, files } = content;
  await requireMayAddDefinition(deps, actor, kind, key);
  if (kind === 'tool') await checkToolApproval(em, actor, { key, former: undefined, wanted: files.get(TOOL_FILE) });
  const { orgId, userId: ownerId } = actor;
  return insertDefinition(em, { ...origin, orgId, ownerId, kind, limits: deps.orgLimits }, content);
}

/** Replaces the content of a locked definition, whose key stays, by one that was checked. */
export async function replaceDefinition(
  em: EntityManager,
  deps: DefinitionDeps,
  actor: DefinitionActor,
  record: DefinitionRecord,
  content: DefinitionContent,
): Promise<DefinitionRecord> {
  await requireMayReplace(em, deps, actor, record, content);
  return replaceContent(em, record, content, deps.orgLimits);
}

/** Rejects replacing the content of a locked definition as `replaceDefinition` does. */
export async function requireMayReplace(
  em: EntityManager,
  deps: DefinitionDeps,
  actor: DefinitionActor,
  record: DefinitionRecord,
  { files }: DefinitionContent,
): Promise<void> {
  await requireMayChange(deps, actor, record);
  if (record.kind !== 'tool') return;
  const former = await readOwnFile(em, record, TOOL_FILE);
  await checkToolApproval(em, actor, { key: record.key, former, wanted: files.get(TOOL_FILE) });
}

/**
 * Checks the files of a definition, which each of them fits, before the transaction that stores them. A tool that
 * overrides a builtin one must say how a call is run: the code of that one is part of the service, and agents would
 * lose the tool. Throws a `DefinitionFault`.
 */
export async function checkContent(
  { database, definitions: { shipped } }: Pick<DefinitionDeps, 'database' | 'definitions'>,
  { orgId }: Pick<DefinitionActor, 'orgId'>,
  kind: DefinitionKind,
  { key, files }: Pick<DefinitionContent, 'key' | 'files'>,
): Promise<void> {
  if (kind !== 'tool') return;
  const text = files.get(TOOL_FILE);
  if (shipped.find(kind, key) !== undefined && (text === undefined || readToolFile(text).runtime === undefined))
    throw faultOf(
      TOOL_FILE,
      `cannot replace the builtin tool "${key}" without a runtime: it only describes the tool, whose code is part of the service. Add a runtime and its file, or give it another key`,
    );
  await checkScript(database, orgId, kind, files);
}

async function changeToolFile(em: EntityManager, record: DefinitionRecord, limits: OrgLimits): Promise<void> {
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
  limits: OrgLimits,
): Promise<void> {
  const text = await readOwnFile(em, record, SKILL_FILE);
  if (text === undefined) return;
  const content = writeSkillFile(text, { former, now: saidOf(record) });
  if (content === text) return;
  // A record may say what SKILL.md cannot, such as a longer description.
  checkDefinitionFile('skill', SKILL_FILE, content);
  await writeFile(em, record, { path: SKILL_FILE, content }, limits);
}

function saidOf({ key, name, description, category, version }: DefinitionRecord): SaidFields {
  return { key, name, description, category, version };
}

/** Writes a file of a tool or skill, and updates the record's fields from a tool.json or SKILL.md. */
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
async function checkScript(
  { payers }: Pick<Database, 'payers'>,
  orgId: string,
  kind: DefinitionKind,
  files: DefinitionFiles,
): Promise<void> {
  const script = kind === 'tool' ? files.get(SCRIPT_FILE) : undefined;
  if (script !== undefined) await checkScriptFile(script, await payers.of(orgId));
}
