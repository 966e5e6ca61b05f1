import { createRun, type CreatedRun } from '../runs/create-run.ts';
import { type RunTrigger, type WorkflowStep, workOfRun } from '../../../domain/agent-workflows/index.ts';
import { cut } from '../../../domain/core/text.ts';
import type { OrgLimits } from '../../../domain/orgs/index.ts';
import { advanceRun } from './advance-run.ts';
import type { RunDeps } from './run-deps.ts';

/** What starting runs needs. */
export interface TriggerDeps extends RunDeps {
  readonly orgLimits: Pick<OrgLimits, 'chats' | 'messageBytes' | 'workBytes'>;
}

/** A workflow, as far as its runs depend on it. */
export interface RunnableWorkflow {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly agentId: string;
  readonly promptTemplate: string;
  readonly steps: readonly WorkflowStep[];
}

interface Trigger {
  /** In whose name it runs. */
  readonly userId: string;
  readonly triggeredBy: RunTrigger;
  readonly variables: Readonly<Record<string, unknown>>;
  /** What the sender calls the request: the same one again starts no second run. */
  readonly deliveryKey: string | undefined;
  /** What the request was signed with: the same signature starts no second run, whatever the request is called. */
  readonly signature?: Buffer | undefined;
}

const MAX_NAME_LENGTH = 150;

/**
 * Starts a run of a workflow, for every door alike. When this resolves, the run is stored, and goes on whatever
 * happens: its first turn begins here where it can, and its Temporal workflow does the rest. `unprocessable` when its
 * first prompt would be empty or too long.
 */
export async function triggerRun(
  deps: TriggerDeps,
  workflow: RunnableWorkflow,
  { variables, ...trigger }: Trigger,
): Promise<CreatedRun> {
  const { id: workflowId, orgId } = workflow;
  const run = { ...trigger, workflowId, variables, ...workOfRun(workflow, variables) };
  const created = await createRun(deps.database, orgId, { ...run, title: titleOf(workflow) }, deps.orgLimits);
  if (created.isNew) await advanceRun(deps, { orgId, runId: created.runId });
  return created;
}

function titleOf({ name }: RunnableWorkflow): string {
  const [date = '', time = ''] = new Date().toISOString().split('T');
  return `${cut(name, MAX_NAME_LENGTH)}, ${date} ${time.slice(0, 5)}`;
}
