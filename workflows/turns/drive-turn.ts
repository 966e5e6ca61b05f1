import { condition, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ConversationInput, NextTurnInput, NextStep, NextTurnResult, TurnsInput } from './contract.ts';
import { SubAgents } from './sub-agents.ts';
import type { WakeFlag } from './wake-flag.ts';

const { runNextTurn, runTool } = proxyActivities<Activities>({
  // Longer than any reply and any tool may take (both have limits of their own): this one only ends a hung wait.
  startToCloseTimeout: '1 hour',
  // How long a killed worker goes unnoticed; another one then goes on from the rows.
  heartbeatTimeout: '8 seconds',
  // Unlimited: failures here are those of the database or the worker, and the turn itself counts its attempts.
  retry: { initialInterval: '300ms', backoffCoefficient: 2, maximumInterval: '5s' },
});

const { runShortTurn } = proxyLocalActivities<Activities>({
  // Longer than it waits for a turn: this one only ends a hung wait, which the ordinary activity then takes over.
  startToCloseTimeout: '6 seconds',
  retry: { maximumAttempts: 1 },
});

/**
 * Takes the steps of the chat's oldest open turn until it has ended; returns whether others wait. Each step is derived
 * from the rows, so the work can begin anywhere: after a crash, or after all histories were lost.
 */
export async function driveTurn(
  { orgId, chatId, triesShortTurns = false }: TurnsInput,
  wake: WakeFlag,
  betweenSteps: () => Promise<void>,
): Promise<boolean> {
  const place = { orgId, chatId };
  // Only the first activity goes by a position: a wake for an earlier turn may come late, while this one waits for its
  // calls.
  let seq = wake.lower();
  for (;;) {
    const { hasMore, next } = await runTurn({ ...place, ...(seq !== undefined && { seq }) }, triesShortTurns);
    if (next === undefined) return hasMore;
    await take(next, place, wake);
    await betweenSteps();
    wake.lower();
    seq = undefined;
  }
}

// A local activity costs a fraction of an ordinary one, but holds a task of the workflow.
async function runTurn(input: NextTurnInput, triesShortTurns: boolean): Promise<NextTurnResult> {
  const result = triesShortTurns ? await runShortTurn(input).catch(() => 'unfinished' as const) : 'unfinished';
  return result === 'unfinished' ? runNextTurn(input) : result;
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
