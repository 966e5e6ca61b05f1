import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client';
import { replayAll } from '../../test/replay/replay.ts';
import type { Installation } from '../installation/installation.ts';
import type { Evidence } from './evidence.ts';
import type { Verdict } from './facts.ts';

/**
 * An idle conversation lingers for up to two of its half-minute timers, and the workflow of a run until the recovery
 * scan signals it, where the process that ended the run died before it did.
 */
const LINGER_MS = 90_000;

/** Of workflows that end with the turns that they follow. Others wait, as for the next reading of a repository. */
const FOLLOWS_TURNS = /^(?:chat|sub-agent|run)\//;

/** How long a turn may take once no fault occurs any more. */
const LIMIT_MS = 120_000;

/** Checks P4: nothing stays open. @param healedAt when the last fault was over. */
export async function nothingOpen(
  evidence: Evidence,
  { temporalAddress }: Installation,
  healedAt: number,
): Promise<Verdict> {
  const { facts } = evidence;
  const turns = [...facts.turns, ...facts.taskTurns, ...facts.runTurns];
  const after = turns.map((turn) => ({
    ...turn,
    tookMs: (turn.endedAt ?? 0) - Math.max(turn.createdAt, healedAt),
  }));
  const slowest = Math.max(0, ...after.map(({ tookMs }) => tookMs));
  const openTurns = turns.filter(({ endedAt }) => endedAt === null);
  const openCalls = facts.calls.filter(({ status }) => status === 'planned' || status === 'running');
  const { running, lost } = await listRunning(temporalAddress, evidence);
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

async function listRunning(address: string, evidence: Evidence): Promise<Running> {
  const connection = await Connection.connect({ address });
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
  const id = workflowId.split('/').at(-1);
  const all = [...facts.turns, ...facts.taskTurns, ...facts.runTurns];
  const turns = all.filter(({ chatId, runId }) => chatId === id || runId === id);
  if (turns.some(({ endedAt }) => endedAt === null)) return true;
  return turns.some(({ endedAt }) => Date.now() - (endedAt ?? 0) < LINGER_MS);
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

const DETERMINISM = /TMPRL1100|nondeterminism|determinism violation/i;
/**
 * What the SDK says when a local activity of a worker that stood still ends after its run was evicted. It addresses the
 * result by the id of the run alone, which may be replaying by then, and Temporal repeats the task. A history that
 * lacks the activity does not replay below.
 */
const LATE_RESULT = /Missing associated machine for LocalActivity\(/;

/** Checks P8: the history of every run replays on today's workflows. */
export async function histories({ temporalAddress: address, workerLog }: Installation, most: number): Promise<Verdict> {
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection });
    const all = await listWorkflows(client);
    const chosen = sample(all, most);
    const recorded = [];
    for (const { workflowId, runId } of chosen)
      recorded.push({ workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() });
    const breaches = (await replayAll(recorded)).flatMap(({ workflowId, runId, error }) =>
      error === undefined ? [] : [`${workflowId} ${runId}: ${String(error)}`],
    );
    const lines = workerLog()
      .split('\n')
      .filter((line) => DETERMINISM.test(line) && !LATE_RESULT.test(line));
    breaches.push(...lines.slice(0, 5).map((line) => `a worker's log: ${line.slice(0, 300)}`));
    const types = [...countTypes(chosen)].map(([type, count]) => `${count} ${type}`).join(', ');
    return {
      promise: 'P8',
      claim: 'the history of every run replays on the code of today',
      figure: `${chosen.length} of ${all.length} replayed (${types})`,
      breaches,
    };
  } finally {
    await connection.close();
  }
}

/** Samples evenly over the time of the run. */
function sample<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, at) => items[Math.floor((at * items.length) / most)]).filter(
    (item) => item !== undefined,
  );
}

function countTypes(workflows: readonly WorkflowExecutionInfo[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { type } of workflows) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

/** Returns all workflow executions that the query finds; all that are retained without one. */
async function listWorkflows({ workflow }: Client, query?: string): Promise<WorkflowExecutionInfo[]> {
  const found: WorkflowExecutionInfo[] = [];
  for await (const execution of workflow.list(query === undefined ? {} : { query })) found.push(execution);
  return found;
}
