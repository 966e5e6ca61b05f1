import { randomUUID } from 'node:crypto';
import { requireMayDirect } from '../../db/agents/may-direct.ts';
import type { Database } from '../../db/core/database.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { acquireSlot, wakeSlotWaiter } from '../../db/turns/slots.ts';
import { askAnew, replanCall, setCallAside, takeBackTry } from '../../db/turns/calls/begin-call.ts';
import { beginAttempt, stopAttempt } from '../../db/turns/tasks/begin-attempt.ts';
import { changeQueuedQuestion, withdrawTurn } from '../../db/turns/queued-question.ts';
import { chatPosition, findEndedTurn } from '../../db/turns/progress/chat-progress.ts';
import { closeCall, endRefusedSubAgent } from '../../db/turns/calls/close-call.ts';
import { closeOpenCalls } from '../../db/turns/steps/close-open-calls.ts';
import { completePlansOf, completePlanWithout, freeDependentsOf } from '../../db/turns/tasks/complete-plans.ts';
import { copyTurns, planFork } from '../../db/turns/forks.ts';
import { countIntoTree } from '../../db/turns/start-turn.ts';
import { findInterrupted } from '../../db/turns/request-interrupt.ts';
import { findRemoteTask, noteRemoteTask, noteSending } from '../../db/turns/calls/remote-task.ts';
import { finishTurn } from '../../db/turns/steps/finish-turn.ts';
import { giveWorkSlots, storeWorkSlotWait } from '../../db/turns/work-slots.ts';
import { hasOpenTurn, releaseLease, renewLeases } from '../../db/turns/leases.ts';
import { noteFault, noteFaultOfCall } from '../../db/turns/faults.ts';
import { noteRead, readHistory } from '../../db/turns/claim/claim-turn.ts';
import {
  findStoppedTurns,
  oldestWaitSeconds,
  retryWake,
  takeDueTurns,
  wakeWaitingTurns,
} from '../../db/turns/due-turns.ts';
import { readCallOffsets, readTurnSteps } from '../../db/turns/progress/turn-steps.ts';
import { restartStep, storeApprovalWait, storeWait } from '../../db/turns/steps/store-wait.ts';
import { stopTurnOfRun } from '../../db/turns/runs.ts';
import { storeStep } from '../../db/turns/steps/store-step.ts';
import { decideApproval, expireApprovals } from '../../db/approvals/decide-approval.ts';
import { findMembers } from '../../db/approvals/find-members.ts';
import {
  findConnectionByName,
  findKindsInUse,
  findKnownIntegrations,
  listConnectionsOfKind,
} from '../../db/integrations/connections.ts';
import { findMcpConnection, findServersOfAgent, findToolList } from '../../db/mcp-servers/for-turn.ts';
import { readProjectContext } from '../../db/project-context.ts';
import { askForTree, findTreeCommit, noteTreeFailure, storeTree } from '../../db/repo-trees.ts';
import { noteForeignText } from '../../db/chats/messages.ts';
import { findAttachedFiles, listUploads } from '../../db/files/files.ts';
import {
  askForStep,
  decideStep,
  readApprovedPrompt,
  stepNewsOf,
} from '../../db/agent-workflows/runs/step-approvals.ts';
import { findOverdueRuns, noteSeen } from '../../db/agent-workflows/runs/run-queue.ts';
import { readOutputs, readRunState } from '../../db/agent-workflows/runs/run-state.ts';
import { findOverdueSlots, findUnappliedSchedules, scheduleRows } from '../../db/schedules/firing/applied.ts';
import { fireSchedule } from '../../db/schedules/firing/fire-schedule.ts';
import { createTask } from '../../db/tasks/add-tasks.ts';
import { findOverdueTasks, noteTaskWait } from '../../db/tasks/due-tasks.ts';
import { listTasks } from '../../db/tasks/tasks.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { listProjectAgents } from '../../db/projects/project-agents.ts';
import { announceSteps } from '../../db/stream/announce-step.ts';
import { readPublishedText } from '../../db/stream/read-turn-events.ts';
import { EMPTY_ALLOWLISTS, policyOf } from '../../domain/permissions/policy.ts';
import { notifyClientsOf } from '../../db/webhooks/notify-webhook.ts';
import {
  clearAccount,
  clearFailure,
  coolDownAccount,
  disableAccount,
  noteFailure,
  touchAccount,
} from '../../db/providers/account-condition.ts';
import { usageOf } from '../support/step-usage.ts';

/** The member in whose organization the statements run. */
interface Member {
  readonly orgId: string;
  readonly userId: string;
  readonly chatId: string;
}

/** The rights of a member whose groups allow certain tools only. */
const RESTRICTED = policyOf('member', [
  {
    id: randomUUID(),
    permissions: [],
    limits: { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 },
    allowlists: { ...EMPTY_ALLOWLISTS, toolKeys: ['time_now'] },
    defaultChainId: null,
  },
]);

/** Runs the operations of turns that only some turns need, on turns that are over or unknown. */
export async function runRareStatements(database: Database, { orgId, userId, chatId }: Member): Promise<void> {
  const { rows } = await database.system.query<{ id: string; seq: number }>(
    'select id, seq from turns where chat_id = $1 order by seq limit 1',
    [chatId],
  );
  const turn = rows[0] ?? { id: randomUUID(), seq: 0 };
  const ref = { orgId, turnId: turn.id, attempt: 1, step: 0 };
  const account = { orgId, accountId: randomUUID() };
  const call = { id: randomUUID(), attempt: 1, tries: 1, wasBegun: false };
  const soon = new Date(Date.now() + 1_000);
  const runner = randomUUID();
  await readHistory(database, ref, chatId);
  await noteRead(database, ref);
  await findAttachedFiles(database, orgId, [turn.id], [turn.id]);
  await listUploads(database, { orgId, chatId });
  await renewLeases(database, runner, [{ id: turn.id, isFollowed: true }]);
  await releaseLease(database, { orgId, turnId: turn.id, runner });
  await hasOpenTurn(database, { orgId, chatId });
  await noteFault(database, { orgId, chatId }, runner);
  await noteFaultOfCall(database, { orgId, callId: call.id }, 3);
  await storeWorkSlotWait(database, ref, soon);
  await giveWorkSlots(database, { orgId, userId }, { perUser: 1, perOrg: 1 });
  await acquireSlot(database, ref, { userId, seq: turn.seq, parentTurnId: turn.id, slotCount: 2, budgets: [] }, soon);
  await wakeSlotWaiter(database, { orgId, userId }, { slotCount: 2, slotOwnerTurnId: turn.id });
  await countIntoTree(database, orgId, { rootId: turn.id, count: 1, atMost: 9 });
  await takeBackTry(database, orgId, call);
  await setCallAside(database, orgId, call, 1);
  const remote = { orgId, callId: call.id };
  await noteSending(database, remote);
  await noteRemoteTask(database, remote, 't');
  await findRemoteTask(database, remote);
  await replanCall(database, orgId, { ...call, effect: 'once', label: 'POST a' });
  const closing = { ...call, turn: { id: turn.id, isDelegating: true } };
  await closeCall(database, orgId, closing, { status: 'error', result: '', usage: usageOf() });
  await closeCall(database, orgId, closing, { status: 'error', result: '' });
  await closeOpenCalls(database, ref);
  await restartStep(database, ref);
  await storeWait(database, ref, soon);
  await storeApprovalWait(database, ref, soon);
  await takeDueTurns(database, 1);
  await findStoppedTurns(database, 1);
  await retryWake(database, [turn.id]);
  await wakeWaitingTurns(database, orgId);
  await notifyClientsOf(database, ref);
  await runTaskStatements(database, { orgId, userId, chatId });
  await runRunStatements(database, { orgId, userId, chatId });
  await runApprovalStatements(database, { orgId, userId });
  await runProjectStatements(database, { orgId, userId, chatId });
  await runQuestionStatements(database, { orgId, userId, chatId });
  await findInterrupted(database, [turn.id]);
  await chatPosition(database, { orgId, chatId });
  await findEndedTurn(database, orgId, turn.id);
  await readTurnSteps(database, [turn.id]);
  await readCallOffsets(database, orgId, turn.id);
  await oldestWaitSeconds(database);
  await readPublishedText(database, orgId, turn.id);
  await coolDownAccount(database, { ...account, untilMs: soon.getTime() });
  await disableAccount(database, { ...account, reason: '', credentials: null });
  await noteFailure(database, { ...account, credentials: null, reason: 'It did not answer' });
  await clearFailure(database, account);
  await clearAccount(database, account);
  await touchAccount(database, account);
  await requireMayDirect(database, { orgId, policy: RESTRICTED }, { by: 'agent', names: [randomUUID()] });
  await findServersOfAgent(database, { orgId, agentId: randomUUID() });
  await findToolList(database, { orgId, serverId: randomUUID() });
  await findMcpConnection(database, { orgId, serverId: randomUUID() });
  await findKnownIntegrations(database, orgId, ['Tracker', 'GitHub']);
  await findConnectionByName(database, orgId, 'Tracker');
  await findKindsInUse(database, orgId, ['brave', 'searxng']);
  await listConnectionsOfKind(database, orgId, ['github']);
}

/** Runs what takes back and changes a question that waits, and what copies the chat up to it. */
async function runQuestionStatements(database: Database, { orgId, userId, chatId: likeId }: Member): Promise<void> {
  const owner = { orgId, userId };
  const chatId = randomUUID();
  await database.system.query(
    `insert into chats (id, org_id, user_id, agent_id, title)
      select $1, org_id, user_id, agent_id, 'Questions' from chats where id = $2`,
    [chatId, likeId],
  );
  const { rows } = await database.system.query<{ id: string }>(
    // No worker is told of it.
    `with turn as (
        insert into turns (id, org_id, chat_id, user_id, next_wake_at)
        values (gen_random_uuid(), $1, $2, $3, now() + interval '1 hour') returning *
      )
      insert into messages (id, org_id, chat_id, turn_id, role, content, user_id)
      select gen_random_uuid(), org_id, chat_id, id, 'user', 'x', user_id from turn returning id`,
    [orgId, chatId, userId],
  );
  const messageId = rows[0]?.id ?? '';
  await changeQueuedQuestion(database, owner, { chatId, messageId, content: 'y', maxBytes: 1_000 });
  for (let times = 0; times < 2; times += 1) await withdrawTurn(database, owner, { chatId, messageId });
  const { lastSeq } = await planFork(database, owner, { chatId, messageId, maxBytes: Number.MAX_SAFE_INTEGER });
  const from = { chatId, lastSeq };
  await copyTurns(database, owner, { from, toChatId: chatId, files: new Map(), maxBytes: Number.MAX_SAFE_INTEGER });
  // Other statements are about the chat that was used last.
  await database.system.query('update chats set deleted_at = now() where id = $1', [chatId]);
}

/** Runs what asks for decisions and makes them, of which none is there. */
async function runApprovalStatements(database: Database, { orgId, userId }: Omit<Member, 'chatId'>): Promise<void> {
  const approval = { id: randomUUID(), expiresAt: new Date(), parameters: null, details: [], digest: '' };
  const call = { id: randomUUID(), name: 'x', label: 'x', arguments: {}, effect: 'once', outcome: undefined } as const;
  const delegation = { agentId: randomUUID(), title: 'x', message: 'x', timeLimitSeconds: 1, modelTags: null };
  const asking = { ...call, delegation: undefined, approval };
  const ref = { orgId, turnId: randomUUID(), attempt: 1, step: 0 };
  for (const calls of [[asking], [asking, { ...call, id: randomUUID(), delegation }]])
    await storeStep(database, ref, { text: '', rawText: null, state: null, usage: undefined, calls });
  const decision = { userId, status: 'approved', note: null, editedArguments: null, lapsed: [] } as const;
  await decideApproval(database, orgId, { ...decision, answer: null, approvalId: approval.id });
  await findMembers(database, orgId, ['a@example.com', userId]);
  await askAnew(database, orgId, { id: call.id, attempt: 1, tries: 1 }, approval);
  await expireApprovals(database, { orgId, turnId: ref.turnId });
  const recipients = [{ chatId: randomUUID(), turnId: ref.turnId, turnSeq: 1, afterSeq: 0 }];
  const step = { type: 'approval_decided', taskId: ref.turnId, stepId: approval.id, status: 'denied' } as const;
  await announceSteps(database, [{ recipients, step }]);
  await endRefusedSubAgent(database, orgId, call.id);
}

/** Runs what reads the project of a chat and its repository; the project of an organization has the id of its agent. */
async function runProjectStatements(database: Database, { orgId, userId, chatId }: Member): Promise<void> {
  const [chat] = await database.tenant.query<{ agentId: string }>(orgId, {
    name: 'agent-of-chat',
    text: 'select agent_id as "agentId" from chats where id = $1',
    values: [chatId],
  });
  const agentId = chat?.agentId ?? '';
  const reader = { agentId, userId, projectId: agentId };
  const [project] = await readProjectContext(database, orgId, reader, policyOf('owner', []));
  if (project?.issues.length === 0 || project?.tasks.length === 0) throw new Error('the project has no work');
  const tree = { orgId, projectId: agentId };
  const url = 'https://github.com/example/app';
  const state = { defaultBranch: 'main', branches: [], hasMoreBranches: false, commit: 'a' };
  await findTreeCommit(database, tree, url);
  await storeTree(database, tree, url, state);
  await noteTreeFailure(database, tree, { error: 'x', waitMs: 0, isWithdrawn: false });
  await askForTree(database, tree);
  await noteForeignText(database, { orgId, chatId });
}

/** Runs what begins and ends attempts at tasks, on a task that nobody works on. */
async function runTaskStatements(database: Database, { orgId, userId, chatId }: Member): Promise<void> {
  const limits = parseOrgLimits('');
  const task = {
    chatId,
    title: 'x',
    description: '',
    assignedAgentId: null,
    priority: 'medium',
    dependsOn: [],
    limits,
  } as const;
  const owner = { orgId, userId, policy: policyOf('owner', []) };
  const { id } = await createTask(database, owner, task);
  await beginAttempt(database, orgId, id, limits);
  const dependent = await createTask(database, owner, { ...task, dependsOn: [id] });
  await database.tenant.query(orgId, freeDependentsOf(id));
  await database.tenant.query(orgId, completePlansOf(id));
  await database.tenant.query(orgId, completePlanWithout(id));
  await findOverdueTasks(database);
  await stopAttempt(database, orgId, id);
  await noteTaskWait(database, { orgId, taskId: dependent.id });
  const reader = { orgId, userId, seesShared: true };
  await listTasks(database, reader, { chatId });
  await listProjectAgents(database, reader, orgId, { onlyIds: undefined });
  await beginAttempt(database, orgId, dependent.id, limits);
  const unknown = { orgId, turnId: randomUUID(), attempt: 1, step: 0, chatId, agentId: randomUUID() };
  const ending = { status: 'completed', content: '', metadata: {}, providerUsed: null, usage: undefined } as const;
  for (const lastText of [undefined, 'x'])
    await finishTurn(database, {
      ...unknown,
      ...ending,
      lastText,
      delegationResult: undefined,
      isAttempt: true,
      runId: null,
    });
}

/** Runs what moves runs of workflows on, for a run that is not there. */
async function runRunStatements(database: Database, { orgId, userId, chatId }: Member): Promise<void> {
  const runId = randomUUID();
  const ofRun = { runId, version: 1, step: 0, attempt: 1, agentId: randomUUID() };
  const prompt = { chatId, content: 'x', clientMessageId: randomUUID(), ofRun };
  await acceptMessage(database, { orgId, userId }, prompt).catch(() => undefined);
  await stopTurnOfRun(database, orgId, runId);
  await readRunState(database, { orgId, runId });
  await readOutputs(database, { orgId, runId }, 1);
  const run = { orgId, id: runId, version: 1 };
  await noteSeen(database, run);
  const asked = { step: 0, agentId: randomUUID(), prompt: 'x', expiresAt: new Date() };
  await askForStep(database, run, asked);
  const decision = { userId, status: 'approved', note: null, editedArguments: null, lapsed: [] } as const;
  await decideStep(database, orgId, { ...decision, approvalId: randomUUID() });
  await readApprovedPrompt(database, { orgId, runId }, 0);
  await stepNewsOf(database, { orgId, runId });
  await findOverdueRuns(database);
  await findOverdueSlots(database);
  await findUnappliedSchedules(database);
  const schedule = { orgId, scheduleId: randomUUID() };
  await fireSchedule(database, schedule, new Date(), parseOrgLimits(''));
  const rows = scheduleRows(database);
  await rows.read(schedule);
  await rows.noteApplied(schedule, 1);
  await rows.pause(schedule, 1, 'x');
  const ending = { status: 'completed', content: '', metadata: {}, providerUsed: null, usage: undefined } as const;
  const unknown = { orgId, turnId: randomUUID(), attempt: 1, step: 0, chatId, agentId: randomUUID() };
  for (const lastText of [undefined, 'x']) {
    const outcome = { ...unknown, ...ending, lastText, delegationResult: undefined };
    await finishTurn(database, { ...outcome, isAttempt: false, runId });
  }
}
