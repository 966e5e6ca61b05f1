import type { EntityManager } from '@mikro-orm/postgresql';
import { loosensApproval, STRICTEST_APPROVAL, type ToolApproval } from '../../domain/approvals.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { type Policy, policyAllows } from '../../domain/permissions/policy.ts';
import { approvalOfToolFile } from '../../domain/tools/tool-file.ts';

/** A tool.json that comes into effect under a key. */
interface ToolChange {
  readonly key: string;
  /** The one that the organization has under the key; `undefined` where it has none. */
  readonly former: string | undefined;
  readonly wanted: string | undefined;
}

/**
 * Rejects having calls of a tool wait less than before, unless the caller may decide about such calls. A key that
 * agents name and that has no tool.json is as strict as can be: otherwise a tool could be deleted or renamed, and
 * created again. Builtin tools need no check: only administrators override them, who may decide about all calls.
 */
export async function checkToolApproval(
  em: EntityManager,
  { orgId, policy }: { readonly orgId: string; readonly policy: Policy },
  { key, former, wanted }: ToolChange,
): Promise<void> {
  if (policyAllows(policy, 'approvals.manage')) return;
  const after = approvalOf(wanted);
  if (after === undefined) return;
  const before = approvalOf(former);
  if (before === undefined && !(await isToolNamed(em, { orgId, key }))) return;
  if (!loosensApproval(before ?? STRICTEST_APPROVAL, after)) return;
  throw new AppError(
    'forbidden',
    `You need the permission approvals.manage to have calls of the tool "${key}" wait less for a person`,
  );
}

function approvalOf(toolFile: string | undefined): ToolApproval | undefined {
  return toolFile === undefined ? undefined : approvalOfToolFile(toolFile);
}

/** Returns whether an agent of an organization names a tool, deleted agents apart. */
async function isToolNamed(
  em: EntityManager,
  { orgId, key }: { readonly orgId: string; readonly key: string },
): Promise<boolean> {
  const named = await em.execute<object[]>(
    'select 1 from agents where org_id = ? and deleted_at is null and jsonb_exists(tools, ?) limit 1',
    [orgId, key],
  );
  return named.length > 0;
}
