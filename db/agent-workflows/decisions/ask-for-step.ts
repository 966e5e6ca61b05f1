import { askForStep, stepNewsOf } from '../runs/step-approvals.ts';
import type { RunState } from '../runs/run-state.ts';
import { announceSteps } from '../../stream/index.ts';
import { agentOf, promptOf } from './prompt-of-step.ts';
import type { RunDeps } from './run-deps.ts';

/**
 * Asks whether a step of a run may begin, and tells the viewers of its conversation. It is harmless to do it again:
 * returns until when an answer is waited for, once the question was read with the run.
 */
export async function askBeforeStep(
  deps: RunDeps,
  run: RunState,
  step: number,
): Promise<'changed' | { readonly askedUntil: Date }> {
  const asked = run.approvals.find((each) => each.step === step);
  if (asked !== undefined) {
    await announceWait(deps, run.orgId, run.id);
    return { askedUntil: asked.expiresAt };
  }
  const expiresAt = new Date(Date.now() + deps.approvalWaitMs);
  const prompt = await promptOf(deps, run, step);
  await askForStep(deps.database, run, { step, agentId: agentOf(run, step), prompt, expiresAt });
  return 'changed';
}

/** Tells the viewers of a run's conversation how its last wait for a decision stands. Who misses it finds the rows. */
export async function announceWait(
  { database, log }: Pick<RunDeps, 'database' | 'log'>,
  orgId: string,
  runId: string,
): Promise<void> {
  try {
    await announceSteps(database, await stepNewsOf(database, { orgId, runId }));
  } catch (error) {
    log.warn({ err: error, runId }, 'the wait for a decision before a step was not announced');
  }
}
