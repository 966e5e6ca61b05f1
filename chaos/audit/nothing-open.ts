import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client';
import type { Installation } from '../installation/installation.ts';
import type { Evidence } from './evidence.ts';
import { listWorkflows } from './record/list-workflows.ts';
import type { Verdict } from './verdict.ts';

/** An idle conversation lingers for up to two of its half-minute timers. */
const LINGER_MS = 90_000;

/** Of workflows that end with the turns that they follow. Others wait, as for the next reading of a repository. */
const FOLLOWS_TURNS = /^(?:chat|sub-agent|run)\//;

/** How long a turn may take once no fault occurs any more. */
const LIMIT_MS = 120_000;

/** Checks P4: nothing stays open. @param healedAt when the last fault was over. */
export async function nothingOpen(evidence: Evidence, { stack }: Installation, healedAt: number): Promise<Verdict> {
  const { facts } = evidence;
  const turns = [...facts.turns, ...facts.taskTurns, ...facts.runTurns];
  const after = turns.map((turn) => ({
    ...turn,
    tookMs: (turn.endedAt ?? 0) - Math.max(turn.createdAt, healedAt),
  }));
  const slowest = Math.max(0, ...after.map(({ tookMs }) => tookMs));
  const openTurns = turns.filter(({ endedAt }) => endedAt === null);
  const openCalls = facts.calls.filter(({ status }) => status === 'planned' || status === 'running');
  const { running, lost } = await listRunning(stack.ports.temporal, evidence);
  const breaches = [
    ...openTurns.map(
      ({ id, status, parentId }) => `turn ${id} is ${status}${parentId === null ? '' : ', a sub-agent'}`,
    ),
    ...openCalls.map(({ id, turnId, status }) => `call ${id} of turn ${turnId} is ${status}`),
    ...facts.openTasks.map((id) => `task ${id} is open`),
    ...after
      .filter(({ tookMs }) => tookMs > LIMIT_MS)
      .map(({ id, tookMs }) => `turn ${id} ended ${inSeconds(tookMs)} after it was begun, or after the last fault`),
    ...lost.map(({ workflowId }) => `the workflow ${workflowId} runs without an open turn`),
  ];
  return {
    promise: 'P4',
    claim: 'nothing stays open',
    figure:
      `${openTurns.length} turns, ${openCalls.length} calls, ${facts.openTasks.length} tasks open; after the last fault no turn ` +
      `took longer than ${inSeconds(slowest)}; ${running.length} workflows linger`,
    breaches,
  };
}

interface Running {
  readonly running: readonly WorkflowExecutionInfo[];
  /** Those that nothing is open for. */
  readonly lost: readonly WorkflowExecutionInfo[];
}

async function listRunning(port: number, evidence: Evidence): Promise<Running> {
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  try {
    const client = new Client({ connection });
    const listed = await listWorkflows(client, "ExecutionStatus = 'Running'");
    const running = listed.filter(({ workflowId }) => FOLLOWS_TURNS.test(workflowId));
    const lost: WorkflowExecutionInfo[] = [];
    for (const workflow of running.filter((each) => !isWanted(each, evidence)))
      if (await runsStill(client, workflow)) lost.push(workflow);
    return { running, lost };
  } finally {
    await connection.close();
  }
}

// What is listed may be seconds behind what runs.
async function runsStill(client: Client, { workflowId, runId }: WorkflowExecutionInfo): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId, runId).describe();
  return status.name === 'RUNNING';
}

function isWanted({ workflowId }: WorkflowExecutionInfo, { facts }: Evidence): boolean {
  const chatId = workflowId.split('/').at(-1);
  const turns = [...facts.turns, ...facts.taskTurns, ...facts.runTurns].filter((turn) => turn.chatId === chatId);
  if (turns.some(({ endedAt }) => endedAt === null)) return true;
  return turns.some(({ endedAt }) => Date.now() - (endedAt ?? 0) < LINGER_MS);
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
