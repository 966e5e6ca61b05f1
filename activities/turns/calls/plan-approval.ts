import { v7 as uuidv7 } from 'uuid';
import type { PlannedApproval } from '../../../db/turns/index.ts';
import { type ApprovalModes, needsApproval } from '../../../domain/approvals/index.ts';
import type { CallPlan, Tool } from '../../tools/index.ts';

/** What holds for the decisions that calls of a reply wait for. */
export interface ApprovalPlan {
  readonly modes: ApprovalModes;
  readonly expiresAt: Date;
}

/** A larger schema is not kept: the arguments of such a call cannot be edited. */
const MAX_SCHEMA_CHARACTERS = 100_000;

/** Returns the decision that a call has to wait for; `undefined` when it need not wait. */
export function planApproval(
  tool: Tool,
  { approval, delegation, effect }: CallPlan,
  { modes, expiresAt }: ApprovalPlan,
): PlannedApproval | undefined {
  const { key, listedAs, isAboutTools = false } = tool;
  if (isAboutTools || !needsApproval(modes, { key, listedAs, approval }, effect)) return undefined;
  // A sub-agent and its task are stored with the call.
  const parameters = delegation === undefined ? (tool.checkedBy ?? tool.parameters) : null;
  const isKept = parameters !== null && JSON.stringify(parameters).length <= MAX_SCHEMA_CHARACTERS;
  return { id: uuidv7(), expiresAt, parameters: isKept ? parameters : null };
}
