export type { CallDetail } from './call-detail.ts';
export { loosensApproval, STRICTEST_APPROVAL, type ToolApproval } from './loosens.ts';
export { ANY_TOOL, APPROVAL_MODES, type ApprovalMode, type ApprovalModes, needsApproval } from './mode.ts';
export { APPROVAL_STATUSES, type ApprovalStatus, type FinalApprovalStatus } from './status.ts';
