import type { EntityManager } from '@mikro-orm/postgresql';
import { deliveriesTo, DUE_TARGETS, NOTIFY_DESTINATIONS, notifyWebhook } from '../../webhooks/notify-webhook.ts';
import { lockDestinationsOf, reportMissed } from '../../webhooks/report-missed.ts';
import type { FinalRunStatus } from '../../../domain/agent-workflows.ts';
import { AUDIT_EXPIRED } from '../../audit.ts';
import { afterCommit } from '../../core/after-commit.ts';
import type { Database } from '../../core/database.ts';
import { withOrgTransaction } from '../../core/transactions.ts';
import { dequeueRuns, lockQueue, type RunQueue } from './run-queue.ts';
import type { RunState } from './run-state.ts';

/**
 * Parts of a statement that notify the webhook and the destinations of a workflow or a schedule of the runs in its part
 * `ended`.
 */
export const NOTIFY_ENDED = `${notifyWebhook({
  source: 'ended',
  subject: 'run_id',
  subjectId: 'ended.id',
  condition: '(w.workflow_id = ended.workflow_id or w.schedule_id = ended.schedule_id)',
})},
  ${NOTIFY_DESTINATIONS}`;

/** How a run ends. */
interface RunEnding {
  readonly status: FinalRunStatus;
  /** Why it failed, in words. */
  readonly error: string | null;
}

/**
 * Ends a run, with the answer of its last turn and the tokens of all, notifies the webhook of its workflow or schedule,
 * and lets the next one in the queue begin. Nothing happens when something has changed it since `run` was read.
 */
export async function endRun(
  database: Database,
  run: Pick<RunState, 'orgId' | 'id' | 'version'> & RunQueue,
  { status, error }: RunEnding,
): Promise<void> {
  const { orgId } = run;
  const failedSchedule = status === 'failed' ? run.scheduleId : null;
  await withOrgTransaction(database, orgId, async (em) => {
    await lockQueue(em, run);
    if (failedSchedule !== null) await lockDestinationsOf(em, failedSchedule);
    const ended = await em.execute<{ dueWebhooks: string[] | null }[]>(END, [
      run.id,
      status,
      error,
      status,
      run.id,
      run.version,
    ]);
    await em.execute(END_WAIT, [run.id]);
    const [end] = ended;
    if (end === undefined) return;
    afterCommit(em, { dueWork: deliveriesTo(orgId, end.dueWebhooks) });
    const resource = run.scheduleId === null ? 'workflow_runs' : 'schedule_runs';
    afterCommit(em, { changed: [{ orgId, resource, id: run.id, action: 'changed' }] });
    if (failedSchedule !== null) await pauseSchedule(em, { orgId, id: failedSchedule }, run.id);
    await dequeueRuns(em, run);
  });
}

// A failure has its reason in `error`; earlier texts are in the conversation.
const END = `with answers as (
    select t.seq, a.content, a.metadata -> 'usage' as usage
    from turns t join messages a on a.turn_id = t.id and a.role = 'assistant' where t.run_id = ?
  ),
  ended as (update workflow_runs r set status = ?, error = ?, version = r.version + 1, completed_at = now(),
    updated_at = now(),
    output = case when ? <> 'failed' then (select content from answers order by seq desc limit 1) end,
    input_tokens = (select coalesce(sum((usage ->> 'input_tokens')::bigint), 0) from answers),
    output_tokens = (select coalesce(sum((usage ->> 'output_tokens')::bigint), 0) from answers)
  where r.id = ? and r.version = ? and r.completed_at is null returning r.id, r.workflow_id, r.schedule_id, r.status),
  ${NOTIFY_ENDED}
  select id, ${DUE_TARGETS} as "dueWebhooks" from ended`;

// Nothing waits in a run that has ended.
const END_WAIT = `with decided as (
    update approvals p set decided_at = now(), parameters = null,
      status = case when p.expires_at <= now() then 'expired' else 'cancelled' end
    from workflow_runs r where r.id = ? and r.completed_at is not null and p.run_id = r.id and p.status = 'pending'
    returning p.*
  ),
  ${AUDIT_EXPIRED}
  select from decided`;

async function pauseSchedule(
  em: EntityManager,
  schedule: { readonly orgId: string; readonly id: string },
  runId: string,
): Promise<void> {
  const paused = await em.execute<unknown[]>(PAUSE, [PAUSE_REASON, runId]);
  const missed = { kind: 'paused', at: new Date().toISOString(), reason: PAUSE_REASON } as const;
  if (paused.length > 0) await reportMissed(em, schedule, missed);
}

const PAUSE_REASON = 'A run failed.';

// A run that a person has started says nothing about the times.
const PAUSE = `update schedules s set is_active = false, pause_reason = ?, next_run_at = null,
    updated_at = now()
  from workflow_runs r
  where r.id = ? and s.id = r.schedule_id and r.slot is not null and s.pause_on_failure and s.is_active returning s.id`;

/** Dequeues the runs of a workflow or schedule that may begin, and returns them. */
export async function startQueuedRuns(database: Database, orgId: string, queue: RunQueue): Promise<readonly string[]> {
  return withOrgTransaction(database, orgId, async (em) => {
    await lockQueue(em, queue);
    return dequeueRuns(em, queue);
  });
}
