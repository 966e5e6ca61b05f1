export { ApprovalContent, gistOf } from './approval-content.tsx';
export { type ArgumentEditing, ArgumentFields, ChangeArguments, CallDecision } from './call-decision.tsx';
export { QuestionForm, QuestionText } from './question-form.tsx';
export {
  type Approval,
  type ApprovalStatus,
  type Decision,
  type Outcome,
  useApproveRefusal,
  useDecide,
} from './queries.ts';
