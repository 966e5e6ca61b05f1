import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ANY_TOOL, APPROVAL_MODES, type ApprovalModes } from '../../domain/approvals/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { MCP_NAME } from '../../domain/mcp-servers/index.ts';
import { policyAllows } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';

const MAX_NAMED_TOOLS = 200;

/** When calls of an agent wait for a person, by the key of their tool. */
export const approvalModesSchema = z
  .record(
    z
      .string()
      .min(1)
      .max(200)
      .refine((key) => key !== '__proto__', 'is not a key of a tool'),
    z.enum(APPROVAL_MODES).meta({ id: 'ApprovalMode' }),
  )
  .refine((modes) => Object.keys(modes).length <= MAX_NAMED_TOOLS, `must name at most ${MAX_NAMED_TOOLS} tools`)
  .meta({
    description:
      'When a call waits for a person, by the key of its tool: `writes` when it may change something. `*` stands for all tools that are not named, `mcp` for those of MCP servers. For a tool that is not named, the stricter of `*` and the default of the tool holds. Only tools that exist can be added (422). Changing it needs `approvals.manage`',
    examples: [{ '*': 'writes', file_write: 'never' }],
  });

/**
 * Rejects naming tools that nobody knows: the mode would never hold. Tools that the agent names already can stay, and
 * those of MCP servers can come and go.
 */
export function checkKnownTools(
  present: ApprovalModes,
  wanted: ApprovalModes | undefined,
  isKnown: (key: string) => boolean,
): void {
  const issues = Object.keys(wanted ?? {}).flatMap((key) => {
    if (key === ANY_TOOL || key.startsWith(MCP_NAME) || Object.hasOwn(present, key) || isKnown(key)) return [];
    return [{ type: 'custom', loc: ['body', 'requires_approval', key], msg: `There is no tool "${key}"` }];
  });
  if (issues.length > 0) throw new InvalidRequest(issues);
}

/** Rejects changing when an agent's calls wait for a person, unless the caller may decide about such calls. */
export function checkMayRequireApproval(
  { policy }: Pick<OrgCaller, 'policy'>,
  present: ApprovalModes,
  wanted: ApprovalModes | undefined,
): void {
  if (wanted === undefined || isDeepStrictEqual({ ...wanted }, { ...present })) return;
  if (policyAllows(policy, 'approvals.manage')) return;
  throw new AppError('forbidden', 'You need the permission approvals.manage to change when calls wait for a person');
}
