import { cancellationSignal } from '@temporalio/activity';
import { findTreeCommit, findTreeWait, noteTreeFailure, storeTree } from '../../db/repo-trees/index.ts';
import type { WorkOf } from '../../domain/core/due-work.ts';
import { type CodeHostDeps, CodeHostError, type HostErrorKind, withCodeHost } from '../code-hosts/index.ts';
import { withHeartbeat } from '../core/with-heartbeat.ts';
import { readRepository } from './read-repository.ts';

/** Less than the activity has: a host that takes longer is tried again later. */
const LIMIT_MS = 5 * 60_000;

/** After these a host does not show the repository to those whom it has shown it to before. */
const WITHDRAWN: ReadonlySet<HostErrorKind> = new Set(['unauthorized', 'forbidden', 'not_found', 'unsent']);

/**
 * Makes the activity that reads the repository of a project at its host, if that is due, and returns in how many
 * milliseconds it is due next, or null when it is not read any more. What came of it, and why it failed, is stored, and
 * not in the workflow's history.
 */
export function createFetchRepoTree(deps: CodeHostDeps) {
  return async function fetchRepoTree({ orgId, projectId }: WorkOf<'repo-tree'>): Promise<number | null> {
    const cancelled = cancellationSignal();
    const project = { orgId, projectId };
    const waitMs = await findTreeWait(deps.database, project);
    if (waitMs !== 0) return waitMs;
    await withHeartbeat(async () => fetchTree(deps, project, cancelled));
    return findTreeWait(deps.database, project);
  };
}

async function fetchTree(deps: CodeHostDeps, project: WorkOf<'repo-tree'>, cancelled: AbortSignal): Promise<void> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    await withCodeHost(deps, project, AbortSignal.any([cancelled, limit]), async (host, { url }) => {
      const known = await findTreeCommit(deps.database, project, url);
      await storeTree(deps.database, project, url, await readRepository(host, known));
    });
  } catch (error) {
    const failure = limit.aborted && !cancelled.aborted ? TOO_SLOW : error;
    if (!(failure instanceof CodeHostError)) throw error;
    const { message, waitMs = 0, kind } = failure;
    await noteTreeFailure(deps.database, project, { error: message, waitMs, isWithdrawn: WITHDRAWN.has(kind) });
  }
}

const TOO_SLOW = new CodeHostError('unavailable', `The code host has taken longer than ${LIMIT_MS / 60_000} minutes`);
