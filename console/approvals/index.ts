export { ApprovalContent } from './approval-content.tsx';
export { type ArgumentEditing, ArgumentFields, ChangeArguments } from './argument-fields.tsx';
export { CallDecision } from './call-decision.tsx';
export { gistOf } from './gist-of.ts';
export {
  type Approval,
  type ApprovalStatus,
  type Decision,
  type Outcome,
  useApproveRefusal,
  useDecide,
} from './queries.ts';
