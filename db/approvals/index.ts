export { type Approval, approvalReaderOf, type EditableApproval, getApproval, listApprovals } from './approvals.ts';
export { decideApproval, expireApprovals } from './decide-approval.ts';
export { type AskableMember, findMembers } from './find-members.ts';
export { takeReminders } from './take-reminders.ts';
