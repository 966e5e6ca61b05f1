import { endRun } from '../runs/end-run.ts';
import type { RunState } from '../runs/run-state.ts';
import type { RunTransition } from '../../../domain/agent-workflows.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import { namePermissions, policyAllows } from '../../../domain/permissions/index.ts';
import { announceWait, askBeforeStep } from './ask-for-step.ts';
import { agentOf, promptOf, Unrunnable } from './prompt-of-step.ts';
import { startTurn } from '../../turns/index.ts';
import type { RunDeps } from './run-deps.ts';

/**
 * What has come of a step that was to begin: its turn is stored, the row may have changed, a person was asked before,
 * or there is no room.
 */
type BegunStep = 'begun' | 'changed' | { readonly askedUntil: Date } | 'no room';

/**
 * Begins an attempt at a step of a run, or asks a person whether it may, or ends the run when that cannot be; without
 * room for another turn nothing happens.
 */
export async function beginStep(
  deps: RunDeps,
  run: RunState,
  transition: RunTransition & { kind: 'begin' | 'ask' },
): Promise<BegunStep> {
  try {
    const starter = mayGoOn(run);
    if (transition.kind === 'ask') return await askBeforeStep(deps, run, transition.step);
    if (await sendPrompt(deps, starter, run, transition)) return 'begun';
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) return 'no room';
    await finishRun(deps, run, reason);
  }
  return 'changed';
}

/** Ends a run, and tells viewers that nobody has to decide about it any more. */
export async function finishRun(deps: RunDeps, run: RunState, ending: Parameters<typeof endRun>[2]): Promise<void> {
  await endRun(deps.database, run, ending);
  if (run.approvals.some(({ status }) => status === 'pending')) await announceWait(deps, run.orgId, run.id);
}

// Returns whether that was done now, and not before.
async function sendPrompt(
  deps: RunDeps,
  { chatId, policy }: ReturnType<typeof mayGoOn>,
  run: RunState,
  { step, attempt }: RunTransition & { kind: 'begin' },
): Promise<boolean> {
  const { orgId, id: runId, userId, version } = run;
  const content = await promptOf(deps, run, step);
  const clientMessageId = `run ${runId} step ${step} attempt ${attempt}`;
  const ofRun = { runId, version, step, attempt, agentId: agentOf(run, step) };
  return (await startTurn(deps, { orgId, userId, policy }, { chatId, content, clientMessageId, ofRun })).isNew;
}

// Undefined when there was no room, which passes.
function reasonOf(error: unknown): { readonly status: Unrunnable['status']; readonly error: string } | undefined {
  if (error instanceof Unrunnable) return { status: error.status, error: error.message };
  if (!(error instanceof AppError)) throw error;
  if (error.code === 'not_found') return reasonOf(deleted());
  return error.code === 'limit_reached' ? undefined : { status: 'failed', error: `${error.message}.` };
}

const deleted = () => new Unrunnable('interrupted', 'The conversation of the run was deleted.');

// The agent, and what it may use, are checked where its turn begins and at each of its steps.
function mayGoOn({ chatId, policy }: RunState) {
  if (chatId === null) throw deleted();
  if (policy === null)
    throw new Unrunnable('failed', 'The user in whose name it runs is no longer a member of the organization.');
  if (policyAllows(policy, 'schedules.manage')) return { chatId, policy };
  throw new Unrunnable(
    'failed',
    namePermissions(
      'The user in whose name it runs may not run workflows any more: the permission schedules.manage is missing.',
    ),
  );
}
