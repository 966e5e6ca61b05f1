import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client';
import { replayAll } from '../../test/replay/replay.ts';
import type { Installation } from '../installation/installation.ts';
import { listWorkflows } from './record/list-workflows.ts';
import type { Verdict } from './verdict.ts';

const DETERMINISM = /TMPRL1100|nondeterminism|determinism violation/i;

/** Checks P8: the history of every run replays on today's workflows. */
export async function histories({ stack, spare }: Installation, most: number): Promise<Verdict> {
  const connection = await Connection.connect({ address: `127.0.0.1:${stack.ports.temporal}` });
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
    const log = stack.log('worker') + spare.log;
    const lines = log.split('\n').filter((line) => DETERMINISM.test(line));
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
