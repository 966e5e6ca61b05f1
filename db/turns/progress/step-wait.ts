import type { ApprovalStatus } from '../../../domain/approvals/index.ts';
import type { ApprovalEvent } from '../../../domain/events/index.ts';

/** The wait for a decision before a step of a run. It belongs to a chat, and to no turn of it. */
export interface StepWait {
  readonly id: string;
  readonly runId: string;
  readonly chatId: string;
  readonly agentName: string;
  /** The name of the step. */
  readonly step: string;
  /** Names the step and its workflow, for a person. */
  readonly label: string;
  readonly status: ApprovalStatus;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** How the step of `approvals p` and `workflow_runs r` is called where calls have the key of their tool. */
export const STEP_NAME = "r.steps -> p.run_step ->> 'name'";

/** What a person is shown of that step. */
export const STEP_LABEL = `format('Step "%s" of "%s"', ${STEP_NAME}, (select w.name from agent_workflows w where w.id = r.workflow_id))`;

/** Returns a subquery for the last wait before a step that meets a condition on `approvals p`, as JSON. */
export const lastStepWait = (condition: string) => `(
    select json_build_object('id', p.id, 'runId', p.run_id, 'chatId', p.chat_id, 'agentName', a.name, 'step', ${STEP_NAME}, 'label', ${STEP_LABEL},
      'status', p.status, 'expiresAt', (extract(epoch from p.expires_at) * 1000)::bigint)
    from approvals p join agents a on a.id = p.agent_id join workflow_runs r on r.id = p.run_id
    where ${condition} and p.run_id is not null order by p.id desc limit 1
  )`;

/** Returns the event that announces a wait before a step, as it stands. */
export function stepWaitEvent({
  id: stepId,
  runId: taskId,
  chatId,
  agentName,
  step: name,
  label,
  ...wait
}: StepWait): ApprovalEvent {
  if (wait.status !== 'pending') return { type: 'approval_decided', taskId, stepId, status: wait.status };
  const expiresAt = new Date(wait.expiresAt).toISOString();
  return { type: 'approval_requested', taskId, stepId, callId: stepId, chatId, agentName, name, label, expiresAt };
}
