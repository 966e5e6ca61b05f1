import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { WAKE } from '../core/contract.ts';
import type { AgentWorkflowRunInput } from './contract.ts';

const { nextStepOfRun } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  // Failures are those of the database or the worker. Longer pauses are timers of the server, and hold no task.
  retry: { initialInterval: '300ms', backoffCoefficient: 2, maximumInterval: '1 minute' },
  localRetryThreshold: '3 seconds',
});

/**
 * Takes a run of a workflow or a schedule from its first step to its end. The row of the run decides what is next; this
 * knows when to ask it: when the row has changed, as by the end of a turn, a decision or an interrupt, and when a
 * deadline, an approval or the pause before another attempt is over. So the work can begin anywhere: after a crash, or
 * after all histories were lost.
 */
export async function agentWorkflowRun(run: AgentWorkflowRunInput): Promise<void> {
  const news = watchForNews();
  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      const next = await nextStepOfRun({ ...run, ...news.take() });
      // What has come meanwhile may be that a queued run got its place.
      if (next.kind === 'closed' && !news.hasCome) return;
      if (next.kind === 'wait') {
        setCurrentDetails(next.details);
        await waitUntil(next.until, () => news.hasCome);
      }
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof agentWorkflowRun>(run);
    }
  });
}

/** Notices signals, and a cancellation, which interrupts the run. */
function watchForNews() {
  const news = {
    hasCome: false,
    isCancelled: false,
    take: () => {
      const { isCancelled } = news;
      news.hasCome = false;
      news.isCancelled = false;
      return { isCancelled };
    },
  };
  setHandler(defineSignal(WAKE), () => {
    news.hasCome = true;
  });
  CancellationScope.current().cancelRequested.catch(() => {
    news.hasCome = true;
    news.isCancelled = true;
  });
  return news;
}

async function waitUntil(time: number | null, isOver: () => boolean): Promise<void> {
  if (time === null) await condition(isOver);
  else await condition(isOver, Math.max(time - Date.now(), 1));
}
