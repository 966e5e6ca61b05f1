import { readApprovedPrompt } from '../runs/step-approvals.ts';
import { readOutputs, type RunState } from '../runs/run-state.ts';
import { namesIn, renderTemplate, stepOfName } from '../../../domain/agent-workflows.ts';
import { MAX_CONTENT_CHARACTERS } from '../../../domain/turns.ts';
import type { StartTurnDeps } from '../../turns/index.ts';

/** Says why a step cannot be begun; the run ends with it. */
export class Unrunnable extends Error {
  readonly status: 'failed' | 'interrupted';

  constructor(status: Unrunnable['status'], reason: string) {
    super(reason);
    this.status = status;
  }
}

/** Returns the prompt of a step: as it was approved, or as its template gives it now. */
export async function promptOf(deps: StartTurnDeps, run: RunState, step: number): Promise<string> {
  const { database } = deps;
  const { orgId } = run;
  const isApproved = run.approvals.some((asked) => asked.step === step && asked.status === 'approved');
  const approved = isApproved ? await readApprovedPrompt(database, { orgId, runId: run.id }, step) : undefined;
  return approved ?? renderedPrompt(deps, run, step);
}

/** Returns the agent that answers a step. */
export function agentOf({ steps }: Pick<RunState, 'steps'>, step: number): string {
  const agentId = steps[step]?.agentId ?? null;
  if (agentId === null) throw new Error(`the step ${step} of a run names no agent`);
  return agentId;
}

async function renderedPrompt({ database }: StartTurnDeps, run: RunState, step: number) {
  if (step === 0) return run.prompt;
  const template = run.steps[step]?.promptTemplate ?? '';
  const values = { ...run.variables, ...(await outputsFor(template, database, run)) };
  const text = renderTemplate(template, values, MAX_CONTENT_CHARACTERS)?.text;
  if (text !== undefined && text.trim() !== '') return text;
  throw new Unrunnable('failed', `The prompt of a step is empty, or longer than ${MAX_CONTENT_CHARACTERS} characters.`);
}

async function outputsFor(
  template: string,
  database: StartTurnDeps['database'],
  run: RunState,
): Promise<Readonly<Record<string, string>>> {
  if (!namesIn(template).some((name) => stepOfName(name) !== undefined)) return {};
  const outputs = await readOutputs(database, { orgId: run.orgId, runId: run.id }, MAX_CONTENT_CHARACTERS);
  return Object.fromEntries(run.steps.map(({ name }, place) => [`steps.${name}.output`, outputs.get(place) ?? '']));
}
