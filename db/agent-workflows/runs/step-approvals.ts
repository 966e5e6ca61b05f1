import { v7 as uuidv7 } from 'uuid';
import type { ApprovalStatus } from '../../../domain/approvals.ts';
import { MAX_CONTENT_CHARACTERS } from '../../../domain/turns.ts';
import { retrySerializationFailures } from '../../core/unavailable.ts';
import type { Database } from '../../core/database.ts';
import type { StepNews } from '../../stream/announce-step.ts';
import { IS_NEW_VOTE, VOTE } from '../../approvals/store-vote.ts';
import { lastStepWait, type StepWait, stepWaitEvent } from '../../turns/progress/chat-progress.ts';
import { askedOf, type AskedRecord, newsOfAsked, newsOfVote } from '../../turns/news-of-asked.ts';
import { RULE_COLUMNS, rulesOf } from '../../turns/approval-rules.ts';
import type { RunRef, RunState } from './run-state.ts';

/** A step that may begin when a person says so. */
interface AskedStep {
  /** Its position, from 0. */
  readonly step: number;
  readonly agentId: string;
  readonly prompt: string;
  readonly expiresAt: Date;
}

/** By what an edited prompt is checked. */
const PARAMETERS = {
  type: 'object',
  properties: { prompt: { type: 'string', minLength: 1, maxLength: MAX_CONTENT_CHARACTERS } },
  required: ['prompt'],
  additionalProperties: false,
};

/** Asks whether a step of a run may begin, unless it was asked before, or the run has changed since `run` was read. */
export async function askForStep(
  { tenant }: Database,
  { orgId, id, version }: Pick<RunState, 'orgId' | 'id' | 'version'>,
  { step, agentId, prompt, expiresAt }: AskedStep,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'ask-for-step',
    text: `with asking as (
        update workflow_runs r set version = r.version + 1, updated_at = now()
        where r.id = $1 and r.version = $2 and r.completed_at is null and r.chat_id is not null
          and not exists (select from approvals p where p.run_id = r.id and p.run_step = $3)
        returning r.id, r.org_id, r.chat_id
      )
      insert into approvals (id, org_id, chat_id, run_id, run_step, agent_id, prompt, expires_at, parameters,
        ${RULE_COLUMNS})
      select $4, asking.org_id, asking.chat_id, asking.id, $3, $5, $6, $7::timestamptz, $8, rules.*
      from asking cross join lateral ${rulesOf('asking.org_id', '$7::timestamptz')}`,
    values: [id, version, step, uuidv7(), agentId, prompt, expiresAt, JSON.stringify(PARAMETERS)],
  });
}

/** A person's decision about a step. */
interface StepDecision {
  readonly approvalId: string;
  readonly userId: string;
  readonly status: Extract<ApprovalStatus, 'approved' | 'denied'>;
  readonly note: string | null;
  /** With another prompt to send instead; null to leave it. */
  readonly editedArguments: Readonly<Record<string, unknown>> | null;
  /** Whose earlier approvals count no longer. */
  readonly lapsed: readonly string[];
}

/**
 * Stores a decision about a step and changes the version of its run, in one statement: only the first one counts. The
 * time in which it was waited for does not count for the run's limit. Where more people have to approve, an approval is
 * only stored, and `voted` returned. Returns the run; `undefined`, with nothing stored, when the step waits no longer,
 * or the user has approved it before.
 */
export async function decideStep(
  { tenant, follow }: Database,
  orgId: string,
  { approvalId, userId, status, note, editedArguments, lapsed }: StepDecision,
): Promise<RunRef | 'voted' | undefined> {
  const edited = editedArguments === null ? null : JSON.stringify(editedArguments);
  const [row] = await retrySerializationFailures(async () =>
    tenant.query<AskedRecord & { runId: string; isOpen: boolean }>(orgId, {
      name: 'decide-step',
      // The run is locked first, as by everything else that changes both.
      text: `with run as (
          select r.id from workflow_runs r where r.id = (select run_id from approvals where id = $1)
            and r.completed_at is null and r.interrupt_requested_at is null
          for update
        ),
        voted as (
          update approvals p set ${VOTE}, edited_arguments = $6
          from run where p.id = $1 and p.run_id = run.id and ${IS_NEW_VOTE}
          returning p.*
        ),
        decided as (select * from voted where status <> 'pending'),
        advanced as (
          update workflow_runs r set version = r.version + 1, updated_at = now(),
            deadline_at = r.deadline_at + (now() - d.requested_at),
            prompt = case when d.run_step = 0 then coalesce(d.edited_arguments ->> 'prompt', r.prompt) else r.prompt end
          from decided d where r.id = d.run_id
        )
        select v.run_id as "runId", v.org_id as "orgId", v.id, v.status = 'pending' as "isOpen", ${askedOf('v')} as asked
        from voted v`,
      values: [approvalId, status, userId, note, lapsed, edited],
    }),
  );
  if (row === undefined) return undefined;
  await follow([{ changed: row.isOpen ? newsOfVote(row) : newsOfAsked([row], 'changed') }]);
  return row.isOpen ? 'voted' : { orgId, runId: row.runId };
}

/** Returns the prompt of a step as it was approved; `undefined` for one that needed no decision. */
export async function readApprovedPrompt(
  { tenant }: Database,
  { orgId, runId }: RunRef,
  step: number,
): Promise<string | undefined> {
  const [row] = await tenant.query<{ prompt: string }>(orgId, {
    name: 'approved-prompt',
    text: `select coalesce(edited_arguments ->> 'prompt', prompt) as prompt from approvals
      where run_id = $1 and run_step = $2 and status = 'approved'`,
    values: [runId, step],
  });
  return row?.prompt;
}

/** Returns the news for viewers of a run's conversation: the state of its last wait for a decision. */
export async function stepNewsOf({ tenant }: Database, { orgId, runId }: RunRef): Promise<StepNews[]> {
  const rows = await tenant.query<{ wait: StepWait | null }>(orgId, {
    name: 'step-news',
    text: `select ${lastStepWait('p.run_id = $1')} as wait`,
    values: [runId],
  });
  return rows.flatMap(({ wait }) => {
    if (wait === null) return [];
    // It belongs to no turn.
    const recipient = { turnId: runId, chatId: wait.chatId, turnSeq: 0, afterSeq: 0 };
    return [{ recipients: [recipient], step: stepWaitEvent(wait) }];
  });
}
