import type { RunTurn, StepApproval, WorkflowStep } from '../../../domain/agent-workflows.ts';
import type { Policy } from '../../../domain/permissions/policy.ts';
import type { Database } from '../../core/database.ts';
import { parseJsonTexts, userName, type WithJsonTexts } from '../../records/records.ts';
import { waitedFor } from '../../turns/deadline.ts';
import { MEMBER_COLUMNS, type MemberRow, policyOfMember } from '../../permissions/for-turn.ts';

/** One run of an organization. */
export interface RunRef {
  readonly orgId: string;
  readonly runId: string;
}

/** The facts that decide the next transition of a run that has not ended. */
export interface RunState {
  readonly id: string;
  readonly orgId: string;
  /** Null for the run of a schedule that belongs to no workflow. */
  readonly workflowId: string | null;
  /** The schedule that started it, or whose times a person has anticipated; null without one. */
  readonly scheduleId: string | null;
  /** Null once its conversation was deleted. */
  readonly chatId: string | null;
  readonly userId: string;
  /** The current policy of that user; null when they are no longer a member of the organization. */
  readonly policy: Policy | null;
  /** Whether it waits in the queue of its workflow or schedule. */
  readonly isQueued: boolean;
  readonly version: number;
  /** Its name and what has started it, shown in Temporal. */
  readonly summary: string;
  readonly prompt: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly steps: readonly WorkflowStep[];
  readonly turns: readonly RunTurn[];
  /** The approvals requested before its steps. */
  readonly approvals: readonly StepApproval[];
  readonly isInterrupted: boolean;
  /** Whether calls of its turn, or of sub-agents below it, wait for a person's decision. */
  readonly isCallAsked: boolean;
  /** When its time is up; the time in which such calls wait does not count. */
  readonly deadlineAt: Date | null;
  readonly timeLimitMinutes: number | null;
  readonly updatedAt: Date;
}

type StateRow = Omit<RunState, 'policy' | 'turns' | 'approvals'> &
  MemberRow & {
    readonly turns: readonly (Omit<RunTurn, 'endedAt'> & { readonly endedAt: string | null })[];
    readonly approvals: readonly (Omit<StepApproval, 'expiresAt'> & { readonly expiresAt: string })[];
  };

/** Returns the state of a run; `undefined` when it has ended, or is not there. */
export async function readRunState({ tenant }: Database, { orgId, runId }: RunRef): Promise<RunState | undefined> {
  const [row] = await tenant.query<WithJsonTexts<StateRow, 'variables'>>(orgId, {
    name: 'run-state',
    text: STATE,
    values: [runId],
  });
  if (row === undefined) return undefined;
  const { userRole, groups, turns, approvals, ...state } = parseJsonTexts<StateRow, 'variables'>(row, ['variables']);
  return {
    ...state,
    policy: policyOfMember({ userRole, groups }),
    turns: turns.map((turn) => ({ ...turn, endedAt: turn.endedAt === null ? null : new Date(turn.endedAt) })),
    approvals: approvals.map((asked) => ({ ...asked, expiresAt: new Date(asked.expiresAt) })),
  };
}

/** The summary of the run `r` that Temporal shows, in SQL, within the length that a summary there may have. */
export const RUN_SUMMARY = `format('%s (%s)', left(coalesce(
    (select w.name from agent_workflows w where w.id = r.workflow_id),
    (select s.name from schedules s where s.id = r.schedule_id)
  ), 60), r.triggered_by)`;

const CALLS = 'approvals p join turns w on w.id = p.root_turn_id where w.run_id = r.id';

const STATE = `select r.id, r.org_id as "orgId", r.updated_at as "updatedAt", r.workflow_id as "workflowId", r.schedule_id as "scheduleId", (select c.id from chats c where c.id = r.chat_id and c.deleted_at is null) as "chatId", r.user_id as "userId",
    r.status = 'queued' as "isQueued", r.version, ${RUN_SUMMARY} as summary, r.prompt, r.variables::text as variables, r.steps,
    r.interrupt_requested_at is not null as "isInterrupted",
    exists (select from ${CALLS} and p.status = 'pending') as "isCallAsked",
    case when r.deadline_at is not null then r.deadline_at + ${waitedFor(CALLS)} end as "deadlineAt",
    r.time_limit_minutes as "timeLimitMinutes", ${MEMBER_COLUMNS},
    coalesce((
      select json_agg(json_build_object('step', t.run_step, 'attempt', t.run_attempt, 'status', t.status,
        'endedAt', t.ended_at, 'error', a.metadata ->> 'error') order by t.seq)
      from turns t left join messages a on a.turn_id = t.id and a.role = 'assistant' where t.run_id = r.id
    ), '[]') as turns,
    coalesce((
      select json_agg(json_build_object('step', p.run_step, 'status', p.status, 'expiresAt', p.expires_at, 'note', p.note,
        'deciderName', ${userName('u')}))
      from approvals p left join users u on u.id = p.decided_by where p.run_id = r.id
    ), '[]') as approvals
  from workflow_runs r left join memberships m on m.org_id = r.org_id and m.user_id = r.user_id
  where r.id = $1 and r.completed_at is null`;

/** Returns the outputs of the completed steps of a run, by their position: at most `maxLength` characters of each. */
export async function readOutputs(
  { tenant }: Database,
  { orgId, runId }: RunRef,
  maxLength: number,
): Promise<ReadonlyMap<number, string>> {
  const rows = await tenant.query<{ step: number; output: string }>(orgId, {
    name: 'run-outputs',
    text: `select t.run_step as step, left(a.content, $2::int) as output
      from turns t join messages a on a.turn_id = t.id and a.role = 'assistant'
      where t.run_id = $1 and t.status = 'completed'`,
    values: [runId, maxLength],
  });
  return new Map(rows.map(({ step, output }) => [step, output]));
}
