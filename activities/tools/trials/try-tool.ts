import { cancellationSignal } from '@temporalio/activity';
import { withOrgTransaction } from '../../../db/core/index.ts';
import { findPolicy } from '../../../db/permissions/index.ts';
import { beginTrial, finishTrial, type TrialOutcome } from '../../../db/tool-trials.ts';
import { toStorableText } from '../../../domain/core/text.ts';
import { permits, policyAllows } from '../../../domain/permissions/index.ts';
import { type CustomTool, inspectDefinition } from '../../../domain/tools/index.ts';
import { MAX_TRIAL_MS, type TryToolInput } from '../../../workflows/short/contract.ts';
import { withHeartbeat } from '../../core/cancellation.ts';
import { toolError } from '../call/known-failure.ts';
import { checkQuickly, runCustomCall } from '../custom/custom-tool.ts';
import type { RuntimeContext } from '../custom/runtime.ts';
import { runtimeContext } from '../operations/tool-context.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { ToolArguments } from '../tool.ts';
import { type BuiltinTrialDeps, callBuiltin, shownResult, timedOut, type TrialEnding } from './call-builtin.ts';

type StoredTrial = NonNullable<Awaited<ReturnType<typeof beginTrial>>>;

/** Makes one stored call of a tool, on behalf of a member, and stores what it came to. */
export function createTryTool(deps: BuiltinTrialDeps) {
  const { database } = deps;
  return async function tryTool({ orgId, trialId }: TryToolInput): Promise<void> {
    const stop = cancellationSignal();
    const trial = await beginTrial(database, orgId, trialId);
    if (trial === undefined) return;
    const outcome = await withHeartbeat(() => outcomeOf(deps, { ...trial, orgId, trialId }, stop));
    await finishTrial(database, orgId, trialId, outcome);
  };
}

// The rights of the person and the tool are looked at again: both may have changed since they asked.
async function outcomeOf(
  deps: BuiltinTrialDeps,
  trial: StoredTrial & TryToolInput,
  stop: AbortSignal,
): Promise<TrialOutcome> {
  const { orgId, trialId, userId, toolKey, arguments: args } = trial;
  const policy = await withOrgTransaction(deps.database, orgId, async (em) => findPolicy(em, { orgId, userId }));
  if (policy === null || !policyAllows(policy, 'tools.manage') || !permits(policy, 'toolKeys', toolKey))
    return refused('you may not try it any more');
  const [definition] = await deps.definitions.read(orgId, 'tool', [toolKey]);
  if (definition === undefined) return refused('it was deleted');
  const inspection = inspectDefinition(definition);
  if ('tool' in inspection) {
    const contextFor = (signal: AbortSignal) => runtimeContext(deps, { orgId, idempotencyKey: trialId }, signal);
    return callOnce(inspection.tool, args, { contextFor, stop });
  }
  // A builtin one without a runtime is part of the worker.
  return definition.origin === 'builtin' ? callBuiltin(deps, { ...trial, policy }, stop) : refused(inspection.problem);
}

function refused(problem: string): TrialOutcome {
  const result = toolError('denied', `The tool cannot be used: ${problem}`);
  return { status: 'error', result, isJson: true, logs: [], durationMs: 0 };
}

interface TrialRun {
  readonly contextFor: (signal: AbortSignal) => RuntimeContext;
  /** Aborts when nobody waits any more. */
  readonly stop: AbortSignal;
}

/** Makes one call of a custom tool for a person to see: its result or its failure, its log, and how long it took. */
export async function callOnce(tool: CustomTool, args: ToolArguments, run: TrialRun): Promise<TrialOutcome> {
  const logs: string[] = [];
  const begin = performance.now();
  const ending = await endingOf(tool, args, { ...run, log: (text) => logs.push(toStorableText(text)) });
  return { ...ending, logs, durationMs: Math.round(performance.now() - begin) };
}

async function endingOf(
  tool: CustomTool,
  given: ToolArguments,
  { contextFor, stop, log }: TrialRun & { readonly log: (text: string) => void },
): Promise<TrialEnding> {
  const checked = checkQuickly(tool, given);
  if ('error' in checked) return failed('error', checked.error);
  const limitMs = Math.min(tool.timeoutSeconds * 1000, MAX_TRIAL_MS);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(timedOut(tool.effect, limitMs)), limitMs);
  const signal = AbortSignal.any([stop, limit.signal]);
  try {
    const { value, isJson = false } = await runCustomCall({ tool, args: checked.value, log }, contextFor(signal));
    return { status: 'success', ...shownResult(typeof value === 'string' ? value : JSON.stringify(value), isJson) };
  } catch (error) {
    const failure: unknown = limit.signal.aborted ? limit.signal.reason : error;
    if (!(failure instanceof ToolFailure)) throw error;
    return failed(failure.isUncertain ? 'unknown' : 'error', failure);
  } finally {
    clearTimeout(timer);
  }
}

function failed(status: 'error' | 'unknown', { kind, message }: Pick<ToolFailure, 'kind' | 'message'>) {
  return { status, ...shownResult(toolError(kind, message), true) };
}
