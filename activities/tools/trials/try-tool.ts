import { cancellationSignal } from '@temporalio/activity';
import { withOrgTransaction } from '../../../db/core/index.ts';
import { findPolicy } from '../../../db/permissions/index.ts';
import { beginTrial, finishTrial, type TrialOutcome } from '../../../db/tools/index.ts';
import { permits, policyAllows } from '../../../domain/permissions/index.ts';
import { inspectDefinition } from '../../../domain/tools/index.ts';
import type { TryToolInput } from '../../../workflows/short/contract.ts';
import { withHeartbeat } from '../../core/with-heartbeat.ts';
import { toolError } from '../call/tool-error.ts';
import { runtimeContext } from '../operations/tool-context.ts';
import { type BuiltinTrialDeps, callBuiltin } from './call-builtin.ts';
import { callOnce } from './call-once.ts';

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
