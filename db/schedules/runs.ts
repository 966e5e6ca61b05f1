import { AppError, notFound } from '../../domain/core/app-error.ts';
import { cut } from '../../domain/core/text.ts';
import type { Schedule } from './schedule.entity.ts';
import type { ScheduleRunStatus, ScheduleRunTrigger } from '../../domain/schedules/decide-slot.ts';
import { interruptRun, type NewScheduleRun, SCHEDULE_RUN_STATUS } from '../agent-workflows/schedule-runs.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import type { Statement } from '../core/sql-pool.ts';

/**
 * The agents that somebody may use; all unless given. Schedules of others are not there for them, those of none are.
 */
export interface AgentBound {
  readonly allowedAgentIds?: readonly string[] | undefined;
}

/** Returns an SQL condition: that a schedule may be seen. The parameter `list` contains the agents, null for all. */
export function scheduleIsVisible(row: string, list: string): string {
  return `(${row}.workflow_id is null
    and (${list}::uuid[] is null or ${row}.agent_id is null or ${row}.agent_id = any(${list}::uuid[])))`;
}

/** One execution of a schedule, in a conversation of its own. */
interface ScheduleRun {
  readonly id: string;
  readonly scheduleId: string;
  readonly orgId: string;
  /** Null when there was no room for a conversation, and once it was removed. */
  readonly chatId: string | null;
  readonly userId: string;
  readonly status: ScheduleRunStatus;
  readonly triggeredBy: ScheduleRunTrigger;
  /** The time of the schedule that it was started for. */
  readonly slot: Date | null;
  readonly prompt: string;
  readonly output: string;
  readonly error: string | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly createdAt: Date;
}

const RUN = `r.id, r.schedule_id as "scheduleId", r.org_id as "orgId", r.chat_id as "chatId", r.user_id as "userId",
  ${SCHEDULE_RUN_STATUS} as status, r.triggered_by as "triggeredBy", r.slot, r.prompt, coalesce(r.output, '') as output,
  coalesce(r.error, case when r.status = 'interrupted' then 'The run was stopped.' end) as error,
  json_build_object('inputTokens', r.input_tokens, 'outputTokens', r.output_tokens) as usage,
  r.started_at as "startedAt", r.completed_at as "completedAt", r.created_at as "createdAt"`;

/**
 * Returns an SQL condition: that the agents of the run `r` of a schedule may be used, those of today and those of when
 * it began. The parameter `list` contains the agents, null for all.
 */
export const scheduleRunIsVisible = (list: string): string => `(${list}::uuid[] is null or not exists (
    select from jsonb_array_elements(r.steps) step where (step.value ->> 'agentId')::uuid <> all(${list}::uuid[])
  )) and exists (select from schedules s where s.id = r.schedule_id and ${scheduleIsVisible('s', list)})`;

interface RunPage extends Page, AgentBound {
  readonly status?: ScheduleRunStatus | undefined;
  readonly triggeredBy?: ScheduleRunTrigger | undefined;
  /** The id of a run: only older ones are listed. */
  readonly before?: string | undefined;
}

/**
 * Returns the runs of a schedule whose agent may be used, newest first; `not_found` when there is no such schedule, or
 * no such run of it.
 */
export async function listScheduleRuns(
  { tenant }: Database,
  orgId: string,
  scheduleId: string,
  { status, triggeredBy, before, allowedAgentIds, ...page }: RunPage,
): Promise<Listed<ScheduleRun>> {
  const allowed = allowedAgentIds ?? null;
  const around: Statement<{ hasSchedule: boolean; hasEnd: boolean }> = {
    name: 'around-schedule-runs',
    text: `select exists (
        select from schedules s where s.id = $1 and ${scheduleIsVisible('s', '$3')}
      ) as "hasSchedule",
      $2::uuid is null or exists (select from workflow_runs where id = $2 and schedule_id = $1) as "hasEnd"`,
    values: [scheduleId, before ?? null, allowed],
  };
  const read = async (statement: Statement) => {
    const [[found], rows] = await tenant.series(orgId, [around, statement] as const);
    if (found?.hasSchedule !== true) throw notFound('Schedule');
    if (!found.hasEnd) throw notFound('Run');
    return rows;
  };
  return readPage<ScheduleRun>(read, {
    name: 'list-schedule-runs',
    columns: RUN,
    bytes: '800 + octet_length(r.prompt) + coalesce(octet_length(r.output), 0) + coalesce(octet_length(r.error), 0)',
    source: `from workflow_runs r where r.schedule_id = $1 and ($2::uuid is null or r.id < $2)
      and ($3::text is null or r.triggered_by = $3) and ($4::text is null or ${SCHEDULE_RUN_STATUS} = $4)
      and ${scheduleRunIsVisible('$5')}`,
    order: 'r.id desc',
    values: [scheduleId, before ?? null, triggeredBy ?? null, status ?? null, allowed],
    page,
  });
}

/** One run of any schedule, and who asks for it. */
interface ScheduleRunRef extends AgentBound {
  readonly runId: string;
}

/** Returns a run of a schedule; `not_found` when there is none. */
export async function getScheduleRun(
  { tenant }: Database,
  orgId: string,
  { runId, allowedAgentIds }: ScheduleRunRef,
): Promise<ScheduleRun> {
  const [run] = await tenant.query<ScheduleRun>(orgId, {
    name: 'get-schedule-run',
    text: `select ${RUN} from workflow_runs r where r.id = $1 and ${scheduleRunIsVisible('$2')}`,
    values: [runId, allowedAgentIds ?? null],
  });
  if (run === undefined) throw notFound('Run');
  return run;
}

/** Asks a run of a schedule to stop; `conflict` when it has ended. Its next transition stops it. */
export async function requestScheduleRunInterrupt(
  database: Database,
  orgId: string,
  ref: ScheduleRunRef,
): Promise<void> {
  await getScheduleRun(database, orgId, ref);
  if (!(await interruptRun(database, orgId, ref.runId))) throw new AppError('conflict', 'The run has ended');
}

const MAX_NAME_LENGTH = 150;

/** The fields that every run copies from its schedule. */
type FromSchedule = Pick<NewScheduleRun, 'orgId' | 'scheduleId' | 'agentId' | 'prompt' | 'isForeign' | 'title'>;

/** Returns what a run for a time takes from its schedule; `unprocessable` when that has no agent. */
export function runOf(schedule: Schedule, at: Date): FromSchedule {
  const { id: scheduleId, orgId, prompt, isForeign, name } = schedule;
  const agentId = requireAgentOf(schedule);
  const [date = '', time = ''] = at.toISOString().split('T');
  return {
    orgId,
    scheduleId,
    agentId,
    prompt,
    isForeign,
    title: `${cut(name, MAX_NAME_LENGTH)}, ${date} ${time.slice(0, 5)}`,
  };
}

/** Returns the agent of a schedule; `unprocessable` when it has none. */
export function requireAgentOf({ agentId }: Schedule): string {
  if (agentId !== null) return agentId;
  throw new AppError('unprocessable', 'The schedule has no agent; give it an agent_id first');
}

/** The newest run of a schedule. */
interface LastRun {
  readonly id: string;
  readonly status: ScheduleRunStatus;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
}

/** Returns the newest runs of schedules, by the ids of those. */
export async function readLastRuns(
  { tenant }: Database,
  orgId: string,
  scheduleIds: readonly string[],
): Promise<ReadonlyMap<string, LastRun>> {
  if (scheduleIds.length === 0) return new Map();
  const rows = await tenant.query<LastRun & { readonly scheduleId: string }>(orgId, {
    name: 'last-runs-of-schedules',
    text: `select s.id as "scheduleId", r.id, ${SCHEDULE_RUN_STATUS} as status, r.started_at as "startedAt",
        r.completed_at as "completedAt"
      from unnest($1::uuid[]) s (id) cross join lateral (
        select * from workflow_runs where schedule_id = s.id order by id desc limit 1
      ) r`,
    values: [scheduleIds],
  });
  return new Map(rows.map(({ scheduleId, ...run }) => [scheduleId, run]));
}
