import { v7 as uuidv7 } from 'uuid';
import type { PlannedApproval } from '../../../../db/turns/index.ts';
import { type ApprovalModes, needsApproval } from '../../../../domain/approvals/index.ts';
import { type CallDescription, type CallPlan, digestOf, type Tool } from '../../../tools/index.ts';
import { shownDetails } from './shown-details.ts';

/** A larger schema is not kept: the arguments of such a call cannot be edited. */
const MAX_SCHEMA_CHARACTERS = 100_000;

/** Returns whether a call has to wait for a person's decision. */
export function mustWait({ key, listedAs, isAboutTools = false }: Tool, plan: CallPlan, modes: ApprovalModes): boolean {
  return !isAboutTools && needsApproval(modes, { key, listedAs, approval: plan.approval }, plan.effect);
}

/** Returns the decision that a call waits for, about what it would do now. */
export function planApproval(
  tool: Tool,
  { delegation }: Pick<CallPlan, 'delegation'>,
  { description, expiresAt }: { readonly description: CallDescription; readonly expiresAt: Date },
): PlannedApproval {
  // A sub-agent and its task are stored with the call.
  const parameters = delegation === undefined ? (tool.checkedBy ?? tool.parameters) : null;
  const isKept = parameters !== null && JSON.stringify(parameters).length <= MAX_SCHEMA_CHARACTERS;
  return {
    id: uuidv7(),
    expiresAt,
    parameters: isKept ? parameters : null,
    details: shownDetails(description.details),
    digest: digestOf(description),
  };
}
