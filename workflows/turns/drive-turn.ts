import { condition, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ConversationInput, NextStep } from './contract.ts';
import { SubAgents } from './sub-agents.ts';
import type { WakeFlag } from './wake-flag.ts';

const { runNextTurn, runTool } = proxyActivities<Activities>({
  // Longer than any reply and any tool may take (both have limits of their own): this one only ends a hung attempt.
  startToCloseTimeout: '1 hour',
  // How long a killed worker goes unnoticed; another one then goes on from the rows.
  heartbeatTimeout: '8 seconds',
  // Unlimited: failures here are those of the database or the worker, and the turn itself counts its attempts.
  retry: { initialInterval: '300ms', backoffCoefficient: 2, maximumInterval: '5s' },
});

/**
 * Takes the steps of the chat's oldest open turn until it has ended; returns whether others wait. Each step is derived
 * from the rows, so the work can begin anywhere: after a crash, or after all histories were lost.
 */
export async function driveTurn(place: ConversationInput, wake: WakeFlag, betweenSteps: () => Promise<void>) {
  for (;;) {
    wake.isRaised = false;
    const { hasMore, next } = await runNextTurn(place);
    if (next === undefined) return hasMore;
    await take(next, place, wake);
    await betweenSteps();
  }
}

async function take(next: NextStep, { orgId }: ConversationInput, wake: WakeFlag): Promise<void> {
  if (next.kind === 'wait') {
    // A wake that came while the activity ran counts too: it may carry an interrupt that the activity did not see.
    await condition(() => wake.isRaised, Math.max(next.until - Date.now(), 1));
    return;
  }
  const subAgents = new SubAgents(
    orgId,
    next.calls.flatMap(({ subChatId }) => subChatId ?? []),
  );
  const tools = next.calls.filter(({ subChatId }) => subChatId === null);
  await Promise.all([
    subAgents.work(next.maxConcurrency),
    subAgents.passOn(wake),
    ...tools.map(({ id }) => runTool({ orgId, callId: id })),
  ]);
}
