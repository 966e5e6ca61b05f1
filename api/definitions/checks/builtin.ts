import { faultOf, readToolFile, TOOL_FILE } from '../../../definition-files/index.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import type { DefinitionContent, DefinitionKind, ShippedDefinitions } from '../../../domain/definitions/index.ts';
import { isAdministrator } from '../../access/is-administrator.ts';
import type { OrgCaller } from '../../context/api-context.ts';

/** Rejects changes to a definition that ships with the service. */
export function rejectBuiltin(shipped: ShippedDefinitions, kind: DefinitionKind, id: string): void {
  if (shipped.findById(kind, id) === undefined) return;
  throw new AppError(
    'conflict',
    `Builtin ${kind}s cannot be changed or deleted; add one with the same key, which takes its place in your organization`,
  );
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
