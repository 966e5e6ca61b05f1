import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';

/** What has become of workflows that should have been started. */
interface FoundWorkflows {
  /** Were never started. */
  readonly missing: number;
  /** Are still open. */
  readonly open: number;
}

const AT_ONCE = 32;

/** Looks each workflow up by its id. */
export async function findWorkflows(address: string, workflowIds: readonly string[]): Promise<FoundWorkflows> {
  const connection = await Connection.connect({ address });
  const { workflow } = new Client({ connection });
  const left = [...workflowIds];
  let [missing, open] = [0, 0];
  const check = async (workflowId: string): Promise<void> => {
    try {
      const { status } = await workflow.getHandle(workflowId).describe();
      if (status.name === 'RUNNING') open += 1;
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      missing += 1;
    }
  };
  try {
    const checkRest = async (): Promise<void> => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) await check(id);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, checkRest));
    return { missing, open };
  } finally {
    await connection.close();
  }
}

/** Returns the history of a workflow's current run. */
export async function readHistory(address: string, workflowId: string) {
  const connection = await Connection.connect({ address });
  try {
    const { events } = await new Client({ connection }).workflow.getHandle(workflowId).fetchHistory();
    return events ?? [];
  } finally {
    await connection.close();
  }
}

/** The cost of a turn in a workflow: events of its history, and workflow tasks, each a round trip to the worker. */
export interface HistoryCost {
  readonly eventsPerTurn: number;
  readonly tasksPerTurn: number;
}

/** Reads that from a workflow that gets one signal a turn, or ran one turn only. */
export async function historyCost(address: string, workflowId: string): Promise<HistoryCost> {
  const events = await readHistory(address, workflowId);
  const signals = events.filter((event) => event.workflowExecutionSignaledEventAttributes != null).length;
  const turns = Math.max(1, signals);
  const tasks = events.filter((event) => event.workflowTaskCompletedEventAttributes != null).length;
  return { eventsPerTurn: events.length / turns, tasksPerTurn: tasks / turns };
}
