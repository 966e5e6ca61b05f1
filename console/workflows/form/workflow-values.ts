import { fieldsLike, type JsonForm } from '../../ui/form/use-record.ts';
import type { Overlap, Trigger, Workflow, WorkflowChanges, WorkflowStep } from '../queries.ts';

/** A step that is edited. Its key stays the same while its place and its name change. */
export interface EditedStep extends WorkflowStep {
  readonly key: string;
}

/** What a form changes of a workflow, by the names of the api. */
export interface WorkflowValues {
  readonly name: string;
  readonly description: string;
  readonly agent_id: string | null;
  readonly prompt_template: string;
  readonly steps: readonly EditedStep[];
  readonly trigger_type: Trigger;
  readonly cron_expr: string | null;
  readonly interval_minutes: number | null;
  readonly timezone: string;
  readonly overlap: Overlap;
  readonly catchup_minutes: number | null;
  readonly jitter_seconds: number | null;
  readonly max_concurrent_runs: number | null;
  readonly time_limit_minutes: number | null;
  readonly keep_runs_days: number | null;
}

/** The values that a form begins with for a workflow that is new. */
export const NEW_WORKFLOW: WorkflowValues = {
  name: '',
  description: '',
  agent_id: null,
  prompt_template: '',
  steps: [],
  trigger_type: 'manual',
  cron_expr: null,
  interval_minutes: null,
  timezone: 'UTC',
  overlap: 'skip',
  catchup_minutes: 10,
  jitter_seconds: 0,
  max_concurrent_runs: null,
  time_limit_minutes: null,
  keep_runs_days: 90,
};

/** Returns what a form changes of a workflow, as it is stored. */
export function valuesOf(workflow: Workflow): WorkflowValues {
  const steps = workflow.steps.map((step, at) => ({ ...step, key: String(at) }));
  return { ...fieldsLike(NEW_WORKFLOW, workflow), steps };
}

/**
 * Returns what is sent of values: a field that was emptied and has no meaning without a value is left as it is.
 */
export function bodyOf(values: Partial<WorkflowValues>): Omit<WorkflowChanges, 'steps'> & { steps?: WorkflowStep[] } {
  const { steps, agent_id: agentId, ...others } = values;
  const { catchup_minutes: catchup, jitter_seconds: jitter, keep_runs_days: keep, ...rest } = others;
  return {
    ...rest,
    ...(steps !== undefined && { steps: steps.map(({ key: _key, ...step }) => step) }),
    ...(typeof agentId === 'string' && { agent_id: agentId }),
    ...(typeof catchup === 'number' && { catchup_minutes: catchup }),
    ...(typeof jitter === 'number' && { jitter_seconds: jitter }),
    ...(typeof keep === 'number' && { keep_runs_days: keep }),
  };
}

/** How the values are written as JSON: the keys of the steps are those of the form only. */
export const WORKFLOW_JSON: JsonForm<WorkflowValues> = {
  write: ({ steps, ...rest }) => ({ ...rest, steps: steps.map(({ key: _key, ...step }) => step) }),
  read: ({ steps, ...rest }: Omit<WorkflowValues, 'steps'> & { steps: readonly WorkflowStep[] }) => ({
    ...rest,
    steps: steps.map((step, at) => ({ ...step, key: String(at) })),
  }),
};

/** Returns the steps with another one at the end. */
export function withStep(steps: readonly EditedStep[], step: WorkflowStep): readonly EditedStep[] {
  const last = Math.max(-1, ...steps.map(({ key }) => Number(key)));
  return [...steps, { ...step, key: String(last + 1) }];
}
