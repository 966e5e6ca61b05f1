import { readOutputs, readRunState, type RunRef, type RunState } from '../runs/run-state.ts';
import { dueRuns } from '../../../domain/core/due-work.ts';
import { endRun, startQueuedRuns } from '../runs/end-run.ts';
import {
  namesIn,
  nextTransition,
  renderTemplate,
  type RunTransition,
  stepOfName,
} from '../../../domain/agent-workflows.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import { namePermissions } from '../../../domain/permissions/keys.ts';
import { policyAllows } from '../../../domain/permissions/policy.ts';
import { startTurn, type StartTurnDeps } from '../../turns/start-turn.ts';
import { stopTurnOfRun } from '../../turns/runs.ts';
import { askForStep, readApprovedPrompt, stepNewsOf } from '../runs/step-approvals.ts';
import { announceSteps } from '../../stream/announce-step.ts';
import { notifyAsked } from '../../notifications/notify-asked.ts';
import { MAX_CONTENT_CHARACTERS } from '../../../domain/turns.ts';

/** The state of a run once everything is done for it that can be done now. */
type RunOutlook =
  | { readonly kind: 'ended' }
  /** It waits in the queue of its workflow or schedule. */
  | { readonly kind: 'queued' }
  | {
      readonly kind: 'waiting';
      readonly run: RunState;
      /** When it is decided about again if its row has not changed before; null for not until then. */
      readonly until: Date | null;
      /** The position of the step that it has come to, from 0. */
      readonly step: number;
      /** What it waits for, in words. */
      readonly waitsFor: string;
      readonly waitsForRoom: boolean;
    };

/** Transitions that one call makes at most: more of them mean that the rows do not change. */
const MAX_TRANSITIONS = 20;

const ITS_TURN = 'the end of its turn';

/** When a run whose turn was asked to stop is decided about again, in case that the request was lost. */
const STOP_MS = 30_000;

/**
 * The shortest and the longest time after which a run tries again for which there was no room among the open turns of
 * its user and organization. The end of a turn has it try before.
 */
const ROOM_MS = { least: 30_000, most: 300_000 };

/**
 * Does what is to be done for a run now: begins its first or next step, asks whether it may, tries a step again, stops
 * its turn, or ends it. The rows decide, so it is harmless to call it at any time, in several processes at once, and
 * for a run that has ended.
 */
export async function decideRun(deps: RunDeps, { orgId, runId }: RunRef): Promise<RunOutlook> {
  for (let made = 0; made < MAX_TRANSITIONS; made += 1) {
    const run = await readRunState(deps.database, { orgId, runId });
    if (run === undefined) return { kind: 'ended' };
    const outlook = run.isQueued && !run.isInterrupted ? await leaveQueue(deps, run) : await makeTransition(deps, run);
    if (outlook !== undefined) return outlook;
  }
  throw new Error(`the run ${runId} was decided about again and again, and does not change`);
}

// Each of these returns undefined when the row may have changed; the caller then decides again.

async function leaveQueue({ database }: RunDeps, run: RunState): Promise<RunOutlook | undefined> {
  const begun = await startQueuedRuns(database, run.orgId, run);
  return begun.includes(run.id) ? undefined : { kind: 'queued' };
}

async function makeTransition(deps: RunDeps, run: RunState): Promise<RunOutlook | undefined> {
  const transition = nextTransition(run, new Date());
  switch (transition.kind) {
    case 'ask':
    case 'begin':
      return beginOrWait(deps, run, transition);
    case 'stop':
      await stopTurnOfRun(deps.database, run.orgId, run.id);
      return waiting(run, 'the end of its turn, which is to stop', inMs(STOP_MS));
    case 'wait':
      return waiting(run, run.turns.at(-1)?.endedAt === null ? ITS_TURN : 'another attempt', transition.until);
    case 'end':
      await finishRun(deps, run, transition);
      return undefined;
    default:
      throw new Error(`a run has no such transition: ${JSON.stringify(transition satisfies never)}`);
  }
}

async function beginOrWait(deps: RunDeps, run: RunState, transition: RunTransition & { kind: 'ask' | 'begin' }) {
  const result = await beginStep(deps, run, transition);
  if (result === 'changed') return undefined;
  const { step } = transition;
  if (result === 'begun') return { ...waiting(withTurn(run), ITS_TURN, deadlineOf(run)), step };
  if (result !== 'no room') return { ...waiting(run, 'the approval of its step', result.askAgainAt), step };
  // Twice as long each time: the more runs wait, the less each of them asks.
  const waited = Date.now() - run.updatedAt.getTime();
  const until = inMs(Math.min(Math.max(waited, ROOM_MS.least), ROOM_MS.most));
  return { ...waiting(run, 'room for another turn', until), step, waitsForRoom: true };
}

function waiting(run: RunState, waitsFor: string, until: Date | null) {
  const step = run.turns.at(-1)?.step ?? 0;
  return { kind: 'waiting', run, step, waitsFor, waitsForRoom: false, until } as const;
}

// As the statement that stores its turn leaves it.
const withTurn = (run: RunState): RunState => ({ ...run, version: run.version + 1 });

// It runs from the first turn on.
function deadlineOf({ deadlineAt, timeLimitMinutes }: RunState): Date | null {
  return deadlineAt ?? (timeLimitMinutes === null ? null : inMs(timeLimitMinutes * 60_000));
}

function inMs(milliseconds: number): Date {
  return new Date(Date.now() + milliseconds);
}

/**
 * Does at once what is to be done for a run that was stored, decided about or asked to stop, so that its turn begins
 * without waiting for Temporal. Its Temporal workflow is started or signalled in the background afterwards, and
 * continues from the rows. If this fails, the recovery scan starts that.
 */
export async function advanceRun(deps: RunDeps, { orgId, runId }: RunRef): Promise<void> {
  const outlook = await decideRun(deps, { orgId, runId }).catch((error: unknown) => {
    deps.log.warn({ err: error, runId }, 'a run could not continue at once; the recovery scan continues it');
  });
  // The process that takes it from the queue starts its workflow.
  if (outlook?.kind === 'queued') return;
  const summary = outlook?.kind === 'waiting' ? { summary: outlook.run.summary } : {};
  await deps.database.follow([{ dueWork: dueRuns([{ orgId, runId, ...summary }]) }]);
}

/** Says why a step cannot be begun; the run ends with it. */
class Unrunnable extends Error {
  readonly status: 'failed' | 'interrupted';

  constructor(status: Unrunnable['status'], reason: string) {
    super(reason);
    this.status = status;
  }
}

/** Returns the prompt of a step: as it was approved, or as its template gives it now. */
async function promptOf(deps: StartTurnDeps, run: RunState, step: number): Promise<string> {
  const { database } = deps;
  const { orgId } = run;
  const isApproved = run.approvals.some((asked) => asked.step === step && asked.status === 'approved');
  const approved = isApproved ? await readApprovedPrompt(database, { orgId, runId: run.id }, step) : undefined;
  return approved ?? renderedPrompt(deps, run, step);
}

/** Returns the agent that answers a step. */
function agentOf({ steps }: Pick<RunState, 'steps'>, step: number): string {
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
  return Object.fromEntries(run.steps.map(({ name }, index) => [`steps.${name}.output`, outputs.get(index) ?? '']));
}

/**
 * The result of beginning a step: its turn is stored, the row may have changed, a person was asked before, or there is
 * no room.
 */
type BegunStep = 'begun' | 'changed' | { readonly askAgainAt: Date } | 'no room';

/**
 * Begins an attempt at a step of a run, or asks a person whether it may, or ends the run when that cannot be; without
 * room for another turn nothing happens.
 */
async function beginStep(
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

/** Ends a run, and notifies viewers that nobody has to decide about it any more. */
async function finishRun(deps: RunDeps, run: RunState, ending: Parameters<typeof endRun>[2]): Promise<void> {
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

/**
 * Asks whether a step of a run may begin, and notifies the viewers of its conversation. Idempotent: once the question
 * was read with the run, it returns when to decide next.
 */
async function askBeforeStep(
  deps: RunDeps,
  run: RunState,
  step: number,
): Promise<'changed' | { readonly askAgainAt: Date }> {
  const asked = run.approvals.find((each) => each.step === step);
  if (asked !== undefined) {
    await announceWait(deps, run.orgId, run.id);
    const againAt = await notifyAsked(deps.database, { orgId: run.orgId, runId: run.id });
    return { askAgainAt: againAt !== null && againAt < asked.expiresAt ? againAt : asked.expiresAt };
  }
  const expiresAt = new Date(Date.now() + deps.approvalWaitMs);
  const prompt = await promptOf(deps, run, step);
  await askForStep(deps.database, run, { step, agentId: agentOf(run, step), prompt, expiresAt });
  return 'changed';
}

/**
 * Sends the state of a run's last wait for a decision to the viewers of its conversation. Viewers who miss it read the
 * rows.
 */
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

/** The dependencies of decisions about runs. */
export interface RunDeps extends StartTurnDeps {
  /** How long a person's decision before a step is waited for, in milliseconds. */
  readonly approvalWaitMs: number;
}
