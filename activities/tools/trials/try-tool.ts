import { cancellationSignal } from '@temporalio/activity';
import type { Database, SecretBox } from '../../../db/core/index.ts';
import type { Definitions } from '../../../db/definitions/index.ts';
import { getMember } from '../../../db/orgs/index.ts';
import { beginTrial, finishTrial, type TrialOutcome } from '../../../db/tools/index.ts';
import { inspectDefinition } from '../../../domain/tools/index.ts';
import type { TryToolInput } from '../../../workflows/tools/contract.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { GuardedHttp } from '../../core/network/guarded-http.ts';
import { toolError } from '../call/tool-error.ts';
import { runtimeContext } from '../operations/tool-context.ts';
import { callOnce } from './call-once.ts';

/** The dependencies of tries. */
export interface TryToolDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly definitions: Definitions;
  readonly http: GuardedHttp;
  /** Where commands run. */
  readonly sandbox: Pick<Sandbox, 'run'>;
}

/** Makes one stored call of a custom tool, on behalf of a member, and stores what it came to. */
export function createTryTool(deps: TryToolDeps) {
  const { database, definitions } = deps;
  return async function tryTool({ orgId, trialId }: TryToolInput): Promise<void> {
    const stop = cancellationSignal();
    const trial = await beginTrial(database, orgId, trialId);
    if (trial === undefined) return;
    await getMember(database, { orgId, userId: trial.userId });
    const [definition] = await definitions.read(orgId, 'tool', [trial.toolKey]);
    const inspection = definition === undefined ? { problem: 'it was deleted' } : inspectDefinition(definition);
    const contextFor = (signal: AbortSignal) => runtimeContext(deps, { orgId, idempotencyKey: trialId }, signal);
    const outcome =
      'problem' in inspection
        ? refused(inspection.problem)
        : await callOnce(inspection.tool, trial.arguments, { contextFor, stop });
    await finishTrial(database, orgId, trialId, outcome);
  };
}

// It has changed since the person asked.
function refused(problem: string): TrialOutcome {
  const result = toolError('denied', `The tool cannot be used: ${problem}`);
  return { status: 'error', result, isJson: true, logs: [], durationMs: 0 };
}
