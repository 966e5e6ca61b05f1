import type { UseQueryResult } from '@tanstack/react-query';
import type { Approval, ApprovalStatus } from '../approvals/index.ts';
import { useLive } from '../core/events/live.ts';
import { type Pages, useAnswerPages, useFirstPage } from '../core/http/use-answer.ts';

/** What is waited for, with the number of all of it. */
export interface PendingApprovals {
  readonly items: readonly Approval[];
  readonly total: number;
}

/** How often what waits is looked for on pages that only count it. */
const COUNT_MS = 60_000;

/**
 * Returns the decisions that are waited for, newest first. All parts of the console share it: the inbox, Home, and the
 * number in the navigation. Events tell when it has changed; without them it is read every minute while somebody
 * looks, or as often as `everyMs` says.
 */
export function usePendingApprovals(enabled: boolean, everyMs = COUNT_MS): UseQueryResult<PendingApprovals> {
  const isLive = useLive();
  return useFirstPage(['approvals', 'pending'], '/api/approvals', {
    params: { query: { status: 'pending' } },
    enabled,
    refetchInterval: !isLive && everyMs,
  });
}

/** Returns what was decided, or is no longer waited for, newest first and page by page. What waits is among it. */
export function useDecidedApprovals(status: ApprovalStatus | undefined): Pages<Approval> {
  return useAnswerPages(['approvals', 'decided', status], '/api/approvals', {
    params: { query: { ...(status !== undefined && { status }) } },
  });
}
