/**
 * Work that rows describe and Temporal runs. The rows say what is to be done and when: a workflow reads them whenever
 * it is woken, and a Temporal Schedule is made of them.
 */
export type DueWork =
  | { readonly kind: 'repo-tree'; readonly orgId: string; readonly projectId: string }
  | { readonly kind: 'document'; readonly orgId: string; readonly knowledgeBaseId: string; readonly documentId: string }
  | { readonly kind: 'embedding'; readonly orgId: string; readonly knowledgeBaseId: string }
  | { readonly kind: 'webhook'; readonly orgId: string; readonly targetId: string }
  | { readonly kind: 'channel'; readonly orgId: string; readonly channelId: string }
  | { readonly kind: 'issue-push'; readonly orgId: string; readonly projectId: string }
  | { readonly kind: 'issue-sync'; readonly orgId: string; readonly projectId: string; readonly syncId: string }
  | { readonly kind: 'file-text'; readonly orgId: string; readonly fileId: string }
  | { readonly kind: 'task'; readonly orgId: string; readonly taskId: string }
  | DueRun
  | DueChat
  | ({ readonly kind: 'schedule' } & ScheduleKey)
  | { readonly kind: 'grant-revocation'; readonly orgId: string; readonly revocationId: string }
  | { readonly kind: 'marketplace-index'; readonly indexId: string }
  | { readonly kind: 'messages' };

/** The key of the rows of some kind of work. */
export type WorkOf<Kind extends DueWork['kind']> = Omit<Extract<DueWork, { readonly kind: Kind }>, 'kind'>;

interface RunToContinue {
  readonly orgId: string;
  readonly runId: string;
  /**
   * The summary in Temporal's UI, where its workflow is to be started unless it is open. Absent where another process
   * starts it: the one that stored it or took it from its queue, or else the recovery scan.
   */
  readonly summary?: string;
}

/** A run of a workflow or a schedule that may continue, since its row has changed. */
export interface DueRun extends RunToContinue {
  readonly kind: 'run';
}

/** Which schedule. */
export interface ScheduleKey {
  readonly orgId: string;
  readonly scheduleId: string;
}

/** A chat with a turn that may continue: its conversation is woken, or the sub-agent that works in it. */
export interface DueChat {
  readonly kind: 'chat';
  readonly orgId: string;
  readonly chatId: string;
  readonly isSubAgent: boolean;
}

/** Messages that the search does not know yet, of any organization. */
export const NEW_MESSAGES: DueWork = { kind: 'messages' };

/** Returns the work of runs whose rows have changed. */
export function dueRuns(runs: readonly RunToContinue[]): readonly DueRun[] {
  return runs.map(({ orgId, runId, summary }) => ({
    kind: 'run',
    orgId,
    runId,
    ...(summary !== undefined && { summary }),
  }));
}
