import type { Effect } from './tool-calls/tool-call.ts';

/**
 * When a call waits for a person's decision; `writes`: when it may change something. From the loosest to the strictest.
 */
export const APPROVAL_MODES = ['never', 'writes', 'always'] as const;

export type ApprovalMode = (typeof APPROVAL_MODES)[number];

/** An agent's approval modes: by the key of a tool, or `*` for tools that it does not name. */
export type ApprovalModes = Readonly<Record<string, ApprovalMode>>;

/** Represents all tools that an agent does not name. */
export const ANY_TOOL = '*';

/** A tool whose calls may have to wait. */
interface AskingTool {
  readonly key: string;
  /** The key by which an agent lists it, where that is another one. */
  readonly listedAs?: string | undefined;
  /** The mode that the tool's definition gives the call. */
  readonly approval?: ApprovalMode | undefined;
}

/**
 * Returns whether a call waits for a person's decision. The agent's mode for the tool decides; without one, the
 * stricter of the agent's mode for all tools and that of the tool's definition.
 */
export function needsApproval(modes: ApprovalModes, tool: AskingTool, effect: Effect): boolean {
  const named = modeOf(modes, tool.key) ?? modeOf(modes, tool.listedAs);
  const mode = named ?? stricter(modeOf(modes, ANY_TOOL) ?? 'never', tool.approval ?? 'never');
  return mode === 'always' || (mode === 'writes' && effect !== 'read');
}

function modeOf(modes: ApprovalModes, key: string | undefined): ApprovalMode | undefined {
  return key !== undefined && Object.hasOwn(modes, key) ? modes[key] : undefined;
}

/** Returns the stricter of two modes. */
function stricter(one: ApprovalMode, other: ApprovalMode): ApprovalMode {
  return APPROVAL_MODES.indexOf(one) > APPROVAL_MODES.indexOf(other) ? one : other;
}

/** When calls of a tool wait for approval, by its definition. */
export interface ToolApproval {
  readonly approval: ApprovalMode;
  /** The worst that a call can do. */
  readonly effect: Effect;
}

/** The strictest setting that a definition can have. */
export const STRICTEST_APPROVAL: ToolApproval = { approval: 'always', effect: 'once' };

/**
 * Returns whether a definition asks for less than another: its mode is looser, or its calls do not wait under `writes`
 * any more, which an agent can say of the tool.
 */
export function loosensApproval(former: ToolApproval, wanted: ToolApproval): boolean {
  const isLooser = stricter(former.approval, wanted.approval) !== wanted.approval;
  return isLooser || (former.effect !== 'read' && wanted.effect === 'read');
}

/** The states of an approval. All but the first are final. */
export const APPROVAL_STATUSES = [
  'pending',
  'approved',
  'answered',
  'denied',
  'expired',
  'cancelled',
  'outdated',
] as const;

export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** The state of an approval that waits no longer. */
export type FinalApprovalStatus = Exclude<ApprovalStatus, 'pending'>;

/** A line of what a person is shown of a call, beside its arguments, when they decide about it. */
export interface CallDetail {
  readonly label: string;
  readonly value: string;
}

/** Returns whether somebody has approved what others have to approve as well. */
export function hasApproved(
  { votes }: { readonly votes: readonly { readonly userId: string; readonly approve: boolean }[] },
  userId: string,
): boolean {
  return votes.some((vote) => vote.approve && vote.userId === userId);
}
