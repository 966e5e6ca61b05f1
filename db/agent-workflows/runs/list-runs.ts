import { AppError, notFound } from '../../../domain/core/app-error.ts';
import type { Database } from '../../core/database.ts';
import { type Listed, type Page, readPage } from '../../core/page.ts';
import { type AgentBound, runIsVisible, workflowIsVisible } from '../agent-workflows.ts';
import type { RunStatus, RunTrigger, WorkflowStep } from '../../../domain/agent-workflows.ts';
import type { Statement } from '../../core/sql-pool.ts';
import { parseJsonTexts, type WithJsonTexts } from '../../records/records.ts';

/** One execution of a workflow, in a conversation of its own. */
export interface Run {
  readonly id: string;
  readonly workflowId: string;
  readonly orgId: string;
  /** Null once its conversation was removed. */
  readonly chatId: string | null;
  readonly userId: string;
  readonly status: RunStatus;
  readonly triggeredBy: RunTrigger;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly missingVariables: readonly string[];
  readonly prompt: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A step of a run, as far as it has come. */
interface RunStep {
  readonly name: string;
  readonly agentId: string | null;
  readonly status: RunStatus;
  readonly attempts: number;
  readonly turnId: string | null;
  readonly output: string | null;
  readonly error: string | null;
}

/** How much of each step's output a run shows; the conversation has all of it. */
const MAX_OUTPUT_LENGTH = 20_000;

const OF_RUN = "t.run_id = r.id and t.status in ('queued', 'running')";

const IS_ASKED = "exists (select from approvals p where p.run_id = r.id and p.status = 'pending')";

// After its last turn has failed, before another attempt begins.
const PAUSES = `coalesce((
    select t.status = 'failed' and t.run_attempt <= coalesce((r.steps -> t.run_step ->> 'retries')::int, 0)
    from turns t where t.run_id = r.id order by t.run_step desc, t.run_attempt desc limit 1
  ), false)`;

/** The state of the run `r`, in SQL. */
export const RUN_STATUS = `(case when r.completed_at is not null then r.status when ${IS_ASKED} then 'waiting' when r.started_at is null then 'queued'
    when exists (select from turns t where ${OF_RUN} and t.waiting_until is not null) then 'waiting'
    when r.waits_for_room or ${PAUSES} then 'waiting'
    else 'running' end)`;

const RUN = `r.id, r.workflow_id as "workflowId", r.org_id as "orgId", r.chat_id as "chatId", r.user_id as "userId",
  ${RUN_STATUS} as status, r.triggered_by as "triggeredBy", r.variables::text as variables, r.missing_variables as "missingVariables", r.prompt,
  r.output, r.error, json_build_object('inputTokens', r.input_tokens, 'outputTokens', r.output_tokens) as usage,
  r.started_at as "startedAt", r.completed_at as "completedAt", r.created_at as "createdAt", r.updated_at as "updatedAt"`;

interface RunPage extends Page, AgentBound {
  readonly status?: RunStatus | undefined;
  readonly triggeredBy?: RunTrigger | undefined;
  /** The id of a run: only older ones are listed. */
  readonly before?: string | undefined;
}

/**
 * Returns the runs of a workflow whose agents may all be used, newest first; `not_found` when there is no such
 * workflow, or no such run of it.
 */
export async function listRuns(
  { tenant }: Database,
  orgId: string,
  workflowId: string,
  { status, triggeredBy, before, allowedAgentIds, ...page }: RunPage,
): Promise<Listed<Run>> {
  const allowed = allowedAgentIds ?? null;
  const around: Statement<{ hasWorkflow: boolean; hasEnd: boolean }> = {
    name: 'around-runs',
    text: `select exists (
        select from agent_workflows w where w.id = $1 and ${workflowIsVisible('w', '$3')}
      ) as "hasWorkflow",
      $2::uuid is null or exists (select from workflow_runs where id = $2 and workflow_id = $1) as "hasEnd"`,
    values: [workflowId, before ?? null, allowed],
  };
  const read = async (statement: Statement) => {
    const [[found], rows] = await tenant.series(orgId, [around, statement] as const);
    if (found?.hasWorkflow !== true) throw notFound('Workflow');
    if (!found.hasEnd) throw notFound('Run');
    return rows;
  };
  const where = `r.workflow_id = $1 and ($2::uuid is null or r.id < $2) and ($3::text is null or r.triggered_by = $3)
    and ($4::text is null or ${RUN_STATUS} = $4) and ${runIsVisible('r', '$5')}`;
  const { items, ...listed } = await readPage<WithJsonTexts<Run, 'variables'>>(read, {
    name: 'list-runs',
    columns: RUN,
    bytes: `800 + octet_length(r.variables::text) + octet_length(r.prompt) + coalesce(octet_length(r.output), 0)
      + coalesce(octet_length(r.error), 0)`,
    source: `from workflow_runs r where ${where}`,
    order: 'r.id desc',
    values: [workflowId, before ?? null, triggeredBy ?? null, status ?? null, allowed],
    page,
  });
  return { ...listed, items: items.map((row) => parseJsonTexts<Run, 'variables'>(row, ['variables'])) };
}

interface RunRow extends Run {
  readonly steps: readonly WorkflowStep[];
  /** The step before which a person is waited for. */
  readonly askedStep: number | null;
  readonly turns: readonly (Omit<RunStep, 'name' | 'agentId' | 'attempts'> & {
    readonly step: number;
    readonly attempt: number;
  })[];
}

/** Returns a run of a workflow with its steps; `not_found` when there is none. */
export async function getRun(
  { tenant }: Database,
  orgId: string,
  { workflowId, runId, allowedAgentIds }: RunOfWorkflow,
): Promise<Run & { readonly steps: readonly RunStep[] }> {
  const values = [runId, workflowId, allowedAgentIds ?? null];
  const [row] = await tenant.query<WithJsonTexts<RunRow, 'variables'>>(orgId, {
    name: 'get-run',
    text: ONE_RUN,
    values,
  });
  if (row === undefined) throw notFound('Run');
  const { steps, turns, askedStep, ...run } = parseJsonTexts<RunRow, 'variables'>(row, ['variables']);
  const last = new Map(turns.map((turn) => [turn.step, turn]));
  return { ...run, steps: steps.map((step, index) => asShown(step, last.get(index), askedStep === index)) };
}

const ONE_RUN = `select ${RUN}, r.steps, coalesce((
    select json_agg(json_build_object('step', t.run_step, 'attempt', t.run_attempt, 'turnId', t.id,
      'status', case when t.waiting_until is not null then 'waiting' else t.status end,
      'output', left(a.content, ${MAX_OUTPUT_LENGTH}), 'error', a.metadata ->> 'error') order by t.seq)
    from turns t left join messages a on a.turn_id = t.id and a.role = 'assistant' where t.run_id = r.id
  ), '[]') as turns,
  (select p.run_step from approvals p where p.run_id = r.id and p.status = 'pending') as "askedStep"
  from workflow_runs r where r.id = $1 and r.workflow_id = $2 and ${runIsVisible('r', '$3')}`;

function asShown(
  { name, agentId }: WorkflowStep,
  turn: RunRow['turns'][number] | undefined,
  isAsked: boolean,
): RunStep {
  if (turn === undefined)
    return {
      name,
      agentId,
      status: isAsked ? 'waiting' : 'queued',
      attempts: 0,
      turnId: null,
      output: null,
      error: null,
    };
  const { attempt: attempts, status, turnId, output, error } = turn;
  return { name, agentId, status, attempts, turnId, output, error };
}

/** One run of a workflow, and who asks for it. */
interface RunOfWorkflow extends AgentBound {
  readonly workflowId: string;
  readonly runId: string;
}

/** Asks a run to stop; `conflict` when it has ended. Its next transition stops it. */
export async function requestRunInterrupt(
  { tenant }: Database,
  orgId: string,
  { workflowId, runId, allowedAgentIds }: RunOfWorkflow,
): Promise<void> {
  const [run] = await tenant.query<{ isOpen: boolean }>(orgId, {
    name: 'interrupt-run',
    text: `with run as (
        select o.id, o.completed_at from workflow_runs o
        where o.id = $1 and o.workflow_id = $2 and ${runIsVisible('o', '$3')}
      ),
      asked as (
        update workflow_runs r set interrupt_requested_at = coalesce(r.interrupt_requested_at, now()),
          version = r.version + 1, updated_at = now()
        from run where r.id = run.id and r.completed_at is null returning r.id
      )
      select exists (select from asked) as "isOpen" from run`,
    values: [runId, workflowId, allowedAgentIds ?? null],
  });
  if (run === undefined) throw notFound('Run');
  if (!run.isOpen) throw new AppError('conflict', 'The run has ended');
}
