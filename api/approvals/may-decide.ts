import { approvalReaderOf, type EditableApproval, findApproval } from '../../db/approvals/approvals.ts';
import { findRecipient } from '../../db/notifications/find-recipient.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { MCP_NAME, MCP_TOOLS_KEY } from '../../domain/mcp-servers.ts';
import { permits, type Policy, policyAllows } from '../../domain/permissions/policy.ts';
import { AGENT_SPAWN } from '../../domain/tool-calls/tool-call.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';

type Decider = Pick<OrgCaller, 'userId' | 'policy'>;
type Decided = Pick<EditableApproval, 'tool' | 'otherPerson' | 'userId'>;

/** Throws `forbidden` for a call or a step about which somebody who reads it may not decide. */
export function requireMayDecide(person: Decider, approval: Decided, { approve }: { readonly approve: boolean }): void {
  const refusal = refusalFor(person, approval, approve);
  if (refusal !== undefined) throw new AppError('forbidden', refusal);
}

function refusalFor({ policy, userId }: Decider, approval: Decided, approve: boolean): string | undefined {
  const { tool } = approval;
  if (tool !== null && !mayUse(policy, tool))
    return `Your permission groups do not let you use the tool "${tool}", so you cannot decide about it`;
  if (approve && approval.otherPerson && approval.userId === userId)
    return 'It is made in your name, so somebody else has to approve it; you may deny it';
  return undefined;
}

function mayUse(policy: Policy, tool: string): boolean {
  if (permits(policy, 'toolKeys', tool.startsWith(MCP_NAME) ? MCP_TOOLS_KEY : tool)) return true;
  return tool === AGENT_SPAWN && permits(policy, 'skillKeys', tool);
}

/** Returns who has approved a call or a step, but may no longer decide about it. */
export async function findLapsedVoters(
  { database }: Pick<ApiContext, 'database'>,
  orgId: string,
  approval: EditableApproval,
): Promise<readonly string[]> {
  const lapsed: string[] = [];
  for (const { userId } of approval.votes) {
    const member = await findRecipient(database, { orgId, userId });
    const mayDecide =
      member !== undefined &&
      policyAllows(member.policy, 'approvals.manage') &&
      refusalFor(member, approval, true) === undefined &&
      (await findApproval(database, approvalReaderOf(member), approval.id)) !== undefined;
    if (!mayDecide) lapsed.push(userId);
  }
  return lapsed;
}
