import { AppError, notFound } from '../../../domain/core/app-error.ts';
import type { Database } from '../../core/index.ts';
import { type AgentBound, runIsVisible } from '../visible.ts';

/** One run of a workflow, and who asks for it. */
export interface RunOfWorkflow extends AgentBound {
  readonly workflowId: string;
  readonly runId: string;
}

/** Asks a run to stop; `conflict` when it has ended. Its next transition does what is asked. */
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
