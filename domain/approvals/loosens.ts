import type { Effect } from '../tool-calls/index.ts';
import { type ApprovalMode, stricter } from './mode.ts';

/** What the definition of a tool says of when its calls wait. */
export interface ToolApproval {
  readonly approval: ApprovalMode;
  /** The worst that a call can do. */
  readonly effect: Effect;
}

/** Nothing can be said of a tool that has its calls wait more. */
export const STRICTEST_APPROVAL: ToolApproval = { approval: 'always', effect: 'once' };

/**
 * Returns whether a definition asks for less than another: its mode is looser, or its calls do not wait under `writes`
 * any more, which an agent can say of the tool.
 */
export function loosensApproval(former: ToolApproval, wanted: ToolApproval): boolean {
  const isLooser = stricter(former.approval, wanted.approval) !== wanted.approval;
  return isLooser || (former.effect !== 'read' && wanted.effect === 'read');
}
