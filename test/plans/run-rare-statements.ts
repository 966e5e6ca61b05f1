import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/core/index.ts';
import {
  acquireSlot,
  beginAttempt,
  chatPosition,
  closeCall,
  closeOpenCalls,
  countIntoTree,
  findEndedTurn,
  findInterrupted,
  findSlotWaiter,
  finishTurn,
  freeDependentsOf,
  givePlaces,
  hasOpenTurn,
  readTurnSteps,
  releaseLease,
  renewLeases,
  restartStep,
  retryWake,
  postponeWake,
  storePlaceWait,
  storeWait,
  takeBackTry,
  wakeWaitingTurns,
} from '../../db/turns/index.ts';
import { findConnectionByName, findKnownIntegrations } from '../../db/integrations/index.ts';
import { findMcpConnection, findServersOfAgent, findToolList } from '../../db/mcp-servers/index.ts';
import { findAttachedFiles, hasUnreadFile, listUploads } from '../../db/files/index.ts';
import { createTask, listTasks, takeDueTasks } from '../../db/tasks/index.ts';
import { readPublishedText } from '../../db/stream/index.ts';
import { clearAccount, coolDownAccount, disableAccount, touchAccount } from '../../db/providers/index.ts';

/** The member in whose organization the statements run. */
interface Member {
  readonly orgId: string;
  readonly userId: string;
  readonly chatId: string;
}

/** Runs the operations of turns that only some turns need, on turns that are over or unknown. */
export async function runRareStatements(database: Database, { orgId, userId, chatId }: Member): Promise<void> {
  const { rows } = await database.system.query<{ id: string; seq: number }>(
    'select id, seq from turns where chat_id = $1 order by seq limit 1',
    [chatId],
  );
  const turn = rows[0] ?? { id: randomUUID(), seq: 0 };
  const ref = { orgId, turnId: turn.id, attempt: 1, step: 0 };
  const account = { orgId, accountId: randomUUID() };
  const call = { id: randomUUID(), attempt: 1, tries: 1 };
  const soon = new Date(Date.now() + 1_000);
  const runner = randomUUID();
  await findAttachedFiles(database, orgId, [turn.id], [turn.id]);
  await hasUnreadFile(database, orgId, [turn.id]);
  await listUploads(database, { orgId, chatId });
  await renewLeases(database, runner, [{ id: turn.id, isFollowed: true }]);
  await releaseLease(database, { orgId, turnId: turn.id, runner });
  await hasOpenTurn(database, { orgId, chatId });
  await storePlaceWait(database, ref, soon);
  await givePlaces(database, { orgId, userId }, { perUser: 1, perOrg: 1 });
  await acquireSlot(database, ref, { userId, seq: turn.seq, parentTurnId: turn.id, slotCount: 2, budgets: [] }, soon);
  await findSlotWaiter(database, { orgId, userId }, { slotCount: 2, slotOwnerTurnId: turn.id });
  await countIntoTree(database, orgId, { rootId: turn.id, count: 1, atMost: 9 });
  await takeBackTry(database, orgId, call);
  const closing = { ...call, turn: { id: turn.id, isDelegating: true } };
  await closeCall(database, orgId, closing, { status: 'error', result: '' });
  await closeOpenCalls(database, ref);
  await restartStep(database, ref);
  await storeWait(database, ref, soon);
  await postponeWake(database, [turn.id]);
  await retryWake(database, [turn.id]);
  await wakeWaitingTurns(database, orgId);
  await runTaskStatements(database, { orgId, userId, chatId });
  await findInterrupted(database, [turn.id]);
  await chatPosition(database, { orgId, chatId });
  await findEndedTurn(database, orgId, turn.id);
  await readTurnSteps(database, [turn.id]);
  await readPublishedText(database, orgId, turn.id);
  await coolDownAccount(database, { ...account, untilMs: soon.getTime() });
  await disableAccount(database, { ...account, reason: '', credentials: null });
  await clearAccount(database, account);
  await touchAccount(database, account);
  await findServersOfAgent(database, { orgId, agentId: randomUUID() });
  await findToolList(database, { orgId, serverId: randomUUID() });
  await findMcpConnection(database, { orgId, serverId: randomUUID() });
  await findKnownIntegrations(database, orgId, ['Tracker', 'GitHub']);
  await findConnectionByName(database, orgId, 'Tracker');
}

/** Runs what begins and ends attempts at tasks, on a task that nobody works on. */
async function runTaskStatements(database: Database, { orgId, userId, chatId }: Member): Promise<void> {
  const task = {
    chatId,
    title: 'x',
    description: '',
    assignedAgentId: null,
    priority: 'medium',
    dependsOn: [],
    maxBytes: 1e9,
  } as const;
  const { id } = await createTask(database, { orgId, userId }, task);
  await beginAttempt(database, orgId, id);
  const dependent = await createTask(database, { orgId, userId }, { ...task, dependsOn: [id] });
  await database.tenant.query(orgId, freeDependentsOf(id));
  await takeDueTasks(database, 1);
  const reader = { orgId, userId, seesShared: true };
  await listTasks(database, reader, { chatId });
  await beginAttempt(database, orgId, dependent.id);
  const unknown = { orgId, turnId: randomUUID(), attempt: 1, step: 0, chatId, agentId: randomUUID() };
  const ending = { status: 'completed', content: '', metadata: {}, providerUsed: null, usage: undefined } as const;
  for (const lastText of [undefined, 'x'])
    await finishTurn(database, { ...unknown, ...ending, lastText, delegationResult: undefined, isAttempt: true });
}
