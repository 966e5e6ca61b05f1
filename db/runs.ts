import type { RunStatus, RunTrigger } from '../domain/agent-workflows.ts';
import { type AgentBound, runIsVisible } from './agent-workflows/agent-workflows.ts';
import { RUN_STATUS } from './agent-workflows/runs/list-runs.ts';
import type { Database } from './core/database.ts';
import { type Listed, type Page, readPage } from './core/page.ts';
import { firstIdAt, whereAll } from './core/sql.ts';
import { scheduleRunIsVisible } from './schedules/runs.ts';
import { UNDELIVERED_RUNS } from './webhooks/run-deliveries.ts';

/** The kinds of runs, by what they execute. */
export const RUN_KINDS = ['workflow', 'schedule'] as const;

/** The kind of a run. */
type RunKind = (typeof RUN_KINDS)[number];

/** A run of any workflow or schedule, as a list of all of them shows it: without its prompts and answers. */
interface ListedRun {
  readonly id: string;
  readonly kind: RunKind;
  /** Null for a run of a schedule. */
  readonly workflowId: string | null;
  /** Null for a run of a workflow, even if its times have started it. */
  readonly scheduleId: string | null;
  /** The name that its workflow or schedule has now. */
  readonly name: string;
  /** The agents of its steps. */
  readonly agentIds: readonly string[];
  /** Null when there was no room for a conversation, and once it was removed. */
  readonly chatId: string | null;
  /** The last of its turns, and the step that it is at, from 1 on; null before the first one. */
  readonly lastTurn: { readonly id: string; readonly step: number } | null;
  readonly userId: string;
  readonly status: RunStatus;
  readonly triggeredBy: RunTrigger;
  /** The time that it was started for; null outside of the times. */
  readonly slot: Date | null;
  /** The number of its steps. */
  readonly stepCount: number;
  readonly error: string | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The filters of a list of runs; a run has to match all that are set. */
interface RunFilter extends AgentBound {
  readonly status?: RunStatus | undefined;
  readonly kind?: RunKind | undefined;
  readonly triggeredBy?: RunTrigger | undefined;
  /** The agent of one of its steps. */
  readonly agentId?: string | undefined;
  /** The earliest creation. */
  readonly from?: Date | undefined;
  /** Creations before it. */
  readonly to?: Date | undefined;
  /** Whether to list only runs with an abandoned report. */
  readonly isUndelivered?: boolean | undefined;
}

// Schedules say `cron` where workflows say `schedule`.
const TRIGGERED_BY = "(case when r.triggered_by = 'cron' then 'schedule' else r.triggered_by end)";

// Of the rows of a page only: a join would be made before they are sorted.
const LAST_TURN = `(select json_build_object('id', t.id, 'step', t.run_step + 1) from turns t where t.run_id = r.id
    order by t.run_step desc, t.run_attempt desc limit 1)`;

const COLUMNS = `r.id, case when r.workflow_id is null then 'schedule' else 'workflow' end as kind,
  r.workflow_id as "workflowId", case when r.workflow_id is null then r.schedule_id end as "scheduleId",
  case when r.workflow_id is null then (select s.name from schedules s where s.id = r.schedule_id)
    else (select w.name from agent_workflows w where w.id = r.workflow_id) end as name,
  array(select distinct step.value ->> 'agentId' from jsonb_array_elements(r.steps) step
    where step.value ->> 'agentId' is not null) as "agentIds",
  r.chat_id as "chatId", ${LAST_TURN} as "lastTurn", r.user_id as "userId", ${RUN_STATUS} as status,
  ${TRIGGERED_BY} as "triggeredBy", r.slot, jsonb_array_length(r.steps) as "stepCount",
  r.error,
  json_build_object('inputTokens', r.input_tokens, 'outputTokens', r.output_tokens) as usage,
  r.started_at as "startedAt", r.completed_at as "completedAt", r.created_at as "createdAt", r.updated_at as "updatedAt"`;

/**
 * Returns the runs of all workflows and schedules of an organization whose agents may all be used: those that have not
 * ended first, then the newest.
 */
export async function listAllRuns(
  { tenant }: Database,
  orgId: string,
  { limit, offset, ...filter }: Page & RunFilter,
): Promise<Listed<ListedRun>> {
  const { where, values } = conditionsOf(orgId, filter);
  // Not prepared: the best plan depends on the filters.
  return readPage<ListedRun>(async (statement) => tenant.query(orgId, statement), {
    columns: COLUMNS,
    bytes: '1500 + octet_length(r.steps::text) / 10 + coalesce(octet_length(r.error), 0)',
    source: `from workflow_runs r where ${where}`,
    order: '(r.completed_at is null) desc, r.id desc',
    values,
    page: { limit, offset },
  });
}

function conditionsOf(orgId: string, filter: RunFilter): { readonly where: string; readonly values: unknown[] } {
  const { status, kind, triggeredBy, agentId, from, to, isUndelivered, allowedAgentIds } = filter;
  const isOpen = status === 'queued' || status === 'running' || status === 'waiting';
  const { where, values } = whereAll([
    ['r.org_id = ?', orgId],
    [isOpen ? `r.completed_at is null and ${RUN_STATUS} = ?` : 'r.completed_at is not null and r.status = ?', status],
    ['(r.workflow_id is not null) = ?::boolean', kind && String(kind === 'workflow')],
    [`${TRIGGERED_BY} = ?`, triggeredBy],
    ["exists (select from jsonb_array_elements(r.steps) step where step.value ->> 'agentId' = ?)", agentId],
    ['r.id >= ?', from && firstIdAt(from.getTime())],
    ['r.id < ?', to && firstIdAt(to.getTime())],
    [`r.id in (${UNDELIVERED_RUNS})`, isUndelivered === true ? orgId : undefined],
  ]);
  if (allowedAgentIds === undefined) return { where: `${where} and ${isVisible('null')}`, values };
  const list = `$${values.length + 1}`;
  return { where: `${where} and ${isVisible(list)}`, values: [...values, allowedAgentIds] };
}

const isVisible = (list: string) =>
  `case when r.workflow_id is null then ${scheduleRunIsVisible(list)} else ${runIsVisible('r', list)} end`;
