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
import type { Activities } from '../activities/index.ts';
import type { AgentWorkflowRunInput } from './agent-workflows/contract.ts';
import type { TaskInput } from './tasks/contract.ts';
import { type NextStep, type RowNews, WAKE } from './core/contract.ts';

const { nextStepOfRun, nextStepOfTask } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  // Failures are those of the database or the worker. Longer pauses are timers of the server, and occupy no task.
  retry: { initialInterval: '300ms', backoffCoefficient: 2, maximumInterval: '1 minute' },
  localRetryThreshold: '3 seconds',
});

/**
 * Executes a run of a workflow or a schedule from its first step to its end. Reads the row of the run when that has
 * changed, as by the end of a turn, a decision or an interrupt, and when a deadline, an approval or the pause before
 * another attempt is over.
 */
export async function agentWorkflowRun(run: AgentWorkflowRunInput): Promise<void> {
  await followRow(
    async (news) => nextStepOfRun({ ...run, ...news }),
    async () => continueAsNew<typeof agentWorkflowRun>(run),
  );
}

/**
 * Follows an agent's work on a task: begins it, also once others free the room for it, and ends with the attempt. Reads
 * the row of the task when that has changed, as by the end of the attempt or of another turn that frees room. A task
 * that still waits for others is begun by their completion.
 */
export async function task(input: TaskInput): Promise<void> {
  await followRow(
    async (news) => nextStepOfTask({ ...input, ...news }),
    async () => continueAsNew<typeof task>(input),
  );
}

/**
 * Follows a row from its first step to its last. The row decides what is next; this knows when to read it: when a
 * signal says that the row has changed, and when a time that it waits for has come. So the work can begin anywhere:
 * after a crash, or after all histories were lost.
 *
 * @param ask does what is to be done for the row now.
 * @param startAnew continues as new, once the history has become long.
 */
async function followRow(ask: (news: RowNews) => Promise<NextStep>, startAnew: () => Promise<never>): Promise<void> {
  const news = watchForNews();
  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      const next = await ask(news.take());
      // News that came in the meantime may be that the row continues.
      if (next.kind === 'closed' && !news.hasCome) return;
      if (next.kind === 'wait') {
        setCurrentDetails(next.details);
        await waitUntil(next.until, () => news.hasCome);
      }
      // A cancellation does not reach the next run.
      if (workflowInfo().continueAsNewSuggested && !news.isCancelled) await startAnew();
    }
  });
}

/** Notices signals, and a cancellation, which interrupts the work. */
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
