import {
  checkScriptFile,
  DefinitionFault,
  faultOf,
  readToolFile,
  SCRIPT_FILE,
  TOOL_FILE,
} from '../../definition-files/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type {
  DefinitionContent,
  DefinitionFiles,
  DefinitionKind,
  ShippedDefinitions,
} from '../../domain/definitions/index.ts';
import { isAdministrator } from '../access/is-administrator.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';

const NAMES: Readonly<Record<DefinitionKind, string>> = { tool: 'Tool', skill: 'Skill', persona: 'Persona' };

/** Rejects changes to a definition that ships with the service. */
export function rejectBuiltin(shipped: ShippedDefinitions, kind: DefinitionKind, id: string): void {
  if (shipped.findById(kind, id) === undefined) return;
  throw new AppError(
    'conflict',
    `Builtin ${kind}s cannot be changed or deleted; add one with the same key, which takes its place in your organization`,
  );
}

/** Rejects a definition whose key the caller may not use, as if it did not exist. */
export function requireAllowedKey(kind: DefinitionKind, key: string, allowed: readonly string[] | undefined): void {
  if (allowed !== undefined && !allowed.includes(key)) throw notFound(NAMES[kind]);
}

/**
 * Rejects what takes the place of a builtin definition, or changes what does, unless an administrator asks for it: it
 * works in everybody's turns from then on, under a name that they trust.
 */
export function checkOverride(
  caller: OrgCaller,
  shipped: ShippedDefinitions,
  kind: DefinitionKind,
  key: string | undefined,
): void {
  if (key === undefined || shipped.find(kind, key) === undefined || isAdministrator(caller)) return;
  throw new AppError('forbidden', `Only administrators may replace the builtin ${kind} "${key}" for the organization`);
}

/**
 * Rejects files that would take the place of a builtin tool without saying how a call is run, such as the export of
 * that tool: its code is part of the service, and agents would lose the tool. Throws a `DefinitionFault`.
 */
export function checkStandIn(shipped: ShippedDefinitions, kind: DefinitionKind, content: DefinitionContent): void {
  const { key, files } = content;
  if (kind !== 'tool' || shipped.find(kind, key) === undefined) return;
  const text = files.get(TOOL_FILE);
  if (text !== undefined && readToolFile(text).runtime !== undefined) return;
  throw faultOf(
    TOOL_FILE,
    `cannot replace the builtin tool "${key}" without a runtime: it only describes the tool, whose code is part of the service. Add a runtime and its file, or give it another key`,
  );
}

/** Rejects a main.js among the files of a tool that cannot be read. Throws a `DefinitionFault`. */
export async function checkScript(kind: DefinitionKind, files: DefinitionFiles, orgId: string): Promise<void> {
  const script = kind === 'tool' ? files.get(SCRIPT_FILE) : undefined;
  if (script !== undefined) await checkScriptFile(script, orgId);
}

/** Rejects a new key that the caller could not use. */
export function checkNewKey(
  kind: DefinitionKind,
  key: string | undefined,
  allowed: readonly string[] | undefined,
): void {
  if (key === undefined || allowed === undefined || allowed.includes(key)) return;
  throw new AppError('forbidden', `Your permission groups do not let you use the ${kind} "${key}"`);
}

/** Runs what checks definition files; what is wrong with them becomes issues of the request's body. */
export async function withFileIssues<T>(work: () => Promise<T> | T, field: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DefinitionFault)) throw error;
    const issues = error.issues.map(({ path, msg }) => ({
      type: 'invalid_definition',
      loc: ['body', field, ...(path === '' ? [] : [path])],
      msg,
    }));
    throw new InvalidRequest(issues);
  }
}
