import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import type { RunWork, WorkflowStep } from '../../domain/agent-workflows.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { orgLimitReached } from '../../domain/orgs.ts';
import type { ScheduleRunTrigger } from '../../domain/schedules/decide-slot.ts';
import { CHAT_OF_RUN_INSERT } from '../chats/list-chats.ts';
import { hasRoomForChat, hasRoomForMessages, recountChatsIn } from '../chats/usage.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { deliveriesTo, DUE_TARGETS } from '../webhooks/notify-webhook.ts';
import { totalOfOwner } from '../orgs/require-room.ts';
import { MAX_OPEN_RUNS, type RunLimits } from './runs/create-run.ts';
import { NOTIFY_ENDED } from './runs/end-run.ts';

/** The further fields of a workflow's run. */
interface OfWorkflow extends Pick<RunWork, 'steps' | 'missingVariables'> {
  readonly id: string;
  readonly timeLimitMinutes: number | null;
}

/** A run of a schedule as it is started. */
export interface NewScheduleRun {
  readonly orgId: string;
  readonly scheduleId: string;
  readonly agentId: string;
  /** In whose name it runs. */
  readonly userId: string;
  readonly triggeredBy: ScheduleRunTrigger | 'schedule';
  /** The time of the schedule that it is started for; null outside of its times. */
  readonly slot: Date | null;
  /** The sender's key: a second run of the same schedule with this key is not created. */
  readonly deliveryKey?: string | undefined;
  readonly prompt: string;
  /** Whether the prompt may repeat text from outside. */
  readonly isForeign: boolean;
  /** The title of its conversation. */
  readonly title: string;
  /** Given when it is the run of a workflow, too. */
  readonly workflow?: OfWorkflow;
  /** Whether it waits for the end of the runs before it. */
  readonly isQueued: boolean;
}

const IS_FULL = `(select count(*) from (
    select from workflow_runs r where r.schedule_id = ? and r.completed_at is null limit ${MAX_OPEN_RUNS}
  ) open) >= ${MAX_OPEN_RUNS}`;
const HAS_BYTES = hasRoomForMessages('?', '?');
const HAS_WORK_BYTES = `${totalOfOwner('?', 'work_bytes')} < ?::bigint`;

/**
 * Stores a run of a locked schedule with its conversation, and returns its id; the error that says so when there is no
 * room for it.
 */
export async function storeScheduleRun(
  em: EntityManager,
  run: NewScheduleRun,
  limits: RunLimits,
): Promise<string | AppError> {
  const first = await insertRun(em, run, limits);
  if (first !== undefined) return first;
  // The counted number of chats may be older than some deletions.
  await recountChatsIn(em, run.orgId);
  return (await insertRun(em, run, limits)) ?? noRoom(em, run, limits);
}

async function insertRun(
  em: EntityManager,
  run: NewScheduleRun,
  { chats, messageBytes, workBytes }: RunLimits,
): Promise<string | undefined> {
  const { orgId, scheduleId, userId, agentId, title, triggeredBy } = run;
  const chat = [uuidv7(), orgId, userId, agentId, title, run.isForeign];
  const room = [orgId, chats, orgId, messageBytes, orgId, workBytes, scheduleId];
  const slot = run.slot?.toISOString() ?? null;
  const status = run.isQueued ? 'queued' : 'running';
  const ofRun = [uuidv7(), orgId, scheduleId, slot, userId, triggeredBy, run.deliveryKey ?? null, status];
  const [created] = await em.execute<{ id: string }[]>(
    `with chat as (
        ${CHAT_OF_RUN_INSERT} select ?::uuid, ?::uuid, ?::uuid, ?::uuid, ?, ?::boolean, 'schedule'
        where ${hasRoomForChat('?', '?')} and ${HAS_BYTES} and ${HAS_WORK_BYTES} and not ${IS_FULL} returning id
      )
      insert into workflow_runs (id, org_id, schedule_id, slot, chat_id, user_id, triggered_by, delivery_key, status,
        variables, missing_variables, steps, prompt, workflow_id, time_limit_minutes)
      select ?::uuid, ?::uuid, ?::uuid, ?::timestamptz, chat.id, ?::uuid, ?, ?::text, ?, '{}', ?::jsonb, ?::jsonb, ?, ?::uuid, ?::int
      from chat returning id`,
    [...chat, ...room, ...ofRun, ...workOf(run)],
  );
  return created?.id;
}

function workOf({ agentId, prompt, workflow }: NewScheduleRun): unknown[] {
  if (workflow === undefined) {
    const steps: WorkflowStep[] = [{ name: 'prompt', promptTemplate: '', agentId, approval: false, retries: 0 }];
    return ['[]', JSON.stringify(steps), prompt, null, null];
  }
  const { id, steps, missingVariables, timeLimitMinutes } = workflow;
  return [JSON.stringify(missingVariables), JSON.stringify(steps), prompt, id, timeLimitMinutes];
}

async function noRoom(em: EntityManager, { orgId, scheduleId }: NewScheduleRun, limits: RunLimits): Promise<AppError> {
  const [found] = await em.execute<{ isFull: boolean; hasBytes: boolean; hasWorkBytes: boolean }[]>(
    `select ${IS_FULL} as "isFull", ${HAS_BYTES} as "hasBytes", ${HAS_WORK_BYTES} as "hasWorkBytes"`,
    [scheduleId, orgId, limits.messageBytes, orgId, limits.workBytes],
  );
  if (found?.isFull === true) {
    const text = `The schedule has ${MAX_OPEN_RUNS} runs that have not ended; try again later`;
    return new AppError('limit_reached', text, { retryAfterSeconds: 30 });
  }
  if (found?.hasBytes === false) return orgLimitReached('messageBytes', limits);
  return orgLimitReached(found?.hasWorkBytes === false ? 'workBytes' : 'chats', limits);
}

/** Stores that a slot of a locked schedule could start no run, as a run that has failed, without a conversation. */
export async function storeFailedRun(
  em: EntityManager,
  { orgId, scheduleId, slot, userId, triggeredBy }: Omit<NewScheduleRun, 'workflow'>,
  { workflowId, error }: { readonly workflowId: string | null; readonly error: string },
): Promise<void> {
  const [stored] = await em.execute<{ dueWebhooks: string[] | null }[]>(
    `with ended as (
        insert into workflow_runs (id, org_id, workflow_id, schedule_id, slot, user_id, triggered_by, status, variables,
          missing_variables, steps, prompt, error, completed_at, seen_version)
        values (?, ?, ?, ?, ?::timestamptz, ?, ?, 'failed', '{}', '[]', '[]', '', ?, now(), 1)
        returning id, workflow_id, schedule_id, status
      ),
      ${NOTIFY_ENDED}
      select id, ${DUE_TARGETS} as "dueWebhooks" from ended`,
    [uuidv7(), orgId, workflowId, scheduleId, slot?.toISOString() ?? null, userId, triggeredBy, error],
  );
  afterCommit(em, { dueWork: deliveriesTo(orgId, stored?.dueWebhooks ?? null) });
}

/** The runs of a schedule that have not ended, and whether a slot has a run. */
interface OpenRuns {
  readonly running: number;
  readonly queued: number;
  readonly hasSlot: boolean;
}

/** Counts the open runs of a locked schedule. */
export async function readOpenRuns(em: EntityManager, scheduleId: string, slot: Date): Promise<OpenRuns> {
  const [row] = await em.execute<{ running: string; queued: string; hasSlot: boolean }[]>(
    `select count(*) filter (where status = 'running') as running, count(*) filter (where status = 'queued') as queued,
        exists (select from workflow_runs where schedule_id = ? and slot = ?::timestamptz) as "hasSlot"
      from workflow_runs where schedule_id = ? and completed_at is null`,
    [scheduleId, slot.toISOString(), scheduleId],
  );
  return { running: Number(row?.running), queued: Number(row?.queued), hasSlot: row?.hasSlot === true };
}

/** Asks all open runs of a schedule to stop. Returns them: their next transitions stop them. */
export async function interruptOpenRuns(em: EntityManager, scheduleId: string): Promise<string[]> {
  const asked = await em.execute<{ id: string }[]>(
    `update workflow_runs set interrupt_requested_at = coalesce(interrupt_requested_at, now()),
        version = version + 1, updated_at = now()
      where schedule_id = ? and completed_at is null returning id`,
    [scheduleId],
  );
  return asked.map(({ id }) => id);
}

/** Returns those of some slots that have a run, in milliseconds. */
export async function readSlotsWithRun(
  em: EntityManager,
  scheduleId: string,
  slots: readonly Date[],
): Promise<ReadonlySet<number>> {
  const list = `{${slots.map((slot) => `"${slot.toISOString()}"`).join(',')}}`;
  const rows = await em.execute<{ time: string }[]>(
    `select extract(epoch from slot) * 1000 as time from workflow_runs
      where schedule_id = ? and slot = any(?::timestamptz[])`,
    [scheduleId, list],
  );
  return new Set(rows.map(({ time }) => Number(time)));
}

/** Asks a run to stop, and returns whether it was open. Its next transition stops it. */
export async function interruptRun({ tenant }: Database, orgId: string, runId: string): Promise<boolean> {
  const asked = await tenant.query(orgId, {
    name: 'interrupt-open-run',
    text: `update workflow_runs set interrupt_requested_at = coalesce(interrupt_requested_at, now()),
        version = version + 1, updated_at = now()
      where id = $1 and completed_at is null returning id`,
    values: [runId],
  });
  return asked.length > 0;
}

/**
 * The state of the run `r` of a schedule, as its readers see it, in SQL. A run that waits for the one before it runs as
 * well.
 */
export const SCHEDULE_RUN_STATUS = `(case when r.completed_at is null then 'running'
    when r.status = 'completed' then 'completed' else 'failed' end)`;
