import { cancellationSignal } from '@temporalio/activity';
import type { Database } from '../../db/core/database.ts';
import { completeSync, failSync, noteSyncWait, readProgress } from '../../db/issue-sync/sync-progress.ts';
import type { SyncRef } from '../../db/issue-sync/project-syncs.ts';
import { askForTree } from '../../db/repo-trees.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { SyncPosition } from '../../domain/issue-sync/position.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import type { WorkOf } from '../../domain/core/due-work.ts';
import type { StepsResult } from '../../workflows/due-work/contract.ts';
import { type CodeHostDeps, hostSlots, withCodeHost } from '../code-hosts/with-code-host.ts';
import { CodeHostError } from '../code-hosts/code-host.ts';
import { isPassing } from '../core/passing-error.ts';
import { type Reading, takeNextStep, takeSmallerStep } from './sync-steps.ts';

/** The dependencies of syncs. */
export interface IssueSyncDeps extends CodeHostDeps {
  readonly database: Database;
  readonly limits: OrgLimits;
}

/** How long one activity continues a sync, so that a deployment or an interruption costs little. */
const BUDGET_MS = 20_000;
/** The pauses after failures of a host, the last of which is repeated. */
const BACKOFF_MS = [2_000, 5_000, 15_000, 60_000, 300_000] as const;
/** So many failures in a row, about an hour, and the sync has failed. */
const MAX_FAILURES = 15;
/** So many unexpected errors in a row, some minutes of attempts, and the sync has failed. */
const MAX_ERRORS = 8;
const ERROR = 'Reading from the code host failed because of an internal error';

/**
 * Creates the activity that continues a sync for some time. What it reads, and its position, are in the rows; the
 * history learns only whether it has ended, and how long to wait before the next part.
 */
export function createReadFromHost(deps: IssueSyncDeps) {
  return async function readFromHost(input: WorkOf<'issue-sync'>): Promise<StepsResult> {
    const signal = cancellationSignal();
    return hostSlots.run(deps.database, input.orgId, async () => continueSync(deps, input, signal));
  };
}

/** Continues a sync for some time. Returns whether it has ended, and how long to wait before the next part. */
export async function continueSync(deps: IssueSyncDeps, sync: SyncRef, signal: AbortSignal): Promise<StepsResult> {
  const progress = await readProgress(deps.database, sync);
  if (progress === undefined) return { hasEnded: true, waitMs: 0 };
  let { failures } = progress;
  const succeed = () => {
    failures = 0;
  };
  try {
    return await withCodeHost(deps, sync, signal, async (host, { url: repoUrl }) =>
      takeSteps({ database: deps.database, limits: deps.limits, sync, host, repoUrl }, progress.position, {
        signal,
        succeed,
      }),
    );
  } catch (error) {
    if (error instanceof CodeHostError) return noteFailure(deps.database, sync, error, failures);
    const isUnexpected = !(error instanceof AppError);
    if (signal.aborted || (isUnexpected && isPassing(error))) throw error;
    if (isUnexpected && failures < MAX_ERRORS) {
      await noteSyncWait(deps.database, sync, { waitMs: 0, error: ERROR, isFailure: true });
      // Temporal logs it, and attempts it again after a pause.
      throw error;
    }
    // The project is gone or full, or the host's answer cannot be read at all.
    await failSync(deps.database, sync, isUnexpected ? ERROR : error.message);
    return { hasEnded: true, waitMs: 0 };
  }
}

interface Steps {
  readonly signal: AbortSignal;
  /** Called after each step. */
  readonly succeed: () => void;
}

async function takeSteps(reading: Reading, begin: SyncPosition, { signal, succeed }: Steps): Promise<StepsResult> {
  const end = performance.now() + BUDGET_MS;
  let position = begin;
  while (position.phase !== 'end') {
    if (signal.aborted || performance.now() > end) return { hasEnded: false, waitMs: 0 };
    const step = await stepFrom(reading, position);
    if (step.position === undefined) return { hasEnded: false, waitMs: 0 };
    position = step.position;
    succeed();
    if (step.pauseMs > 0 && position.phase !== 'end') {
      await noteSyncWait(reading.database, reading.sync, { waitMs: step.pauseMs, error: null, isFailure: false });
      return { hasEnded: false, waitMs: step.pauseMs };
    }
  }
  await completeSync(reading.database, reading.sync);
  await askForTree(reading.database, reading.sync);
  return { hasEnded: true, waitMs: 0 };
}

async function stepFrom(reading: Reading, from: Exclude<SyncPosition, { phase: 'end' }>) {
  try {
    return await takeNextStep(reading, from);
  } catch (error) {
    if (!(error instanceof CodeHostError && error.kind === 'too_large')) throw error;
    return { position: await takeSmallerStep(reading, from), pauseMs: 0 };
  }
}

async function noteFailure(
  database: Database,
  sync: SyncRef,
  error: CodeHostError,
  failures: number,
): Promise<StepsResult> {
  const isFailure = error.kind === 'unavailable';
  const waitMs = isFailure ? BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] : error.waitMs;
  if (waitMs === undefined || failures >= MAX_FAILURES) {
    await failSync(database, sync, error.message);
    return { hasEnded: true, waitMs: 0 };
  }
  await noteSyncWait(database, sync, { waitMs, error: error.message, isFailure });
  return { hasEnded: false, waitMs };
}
