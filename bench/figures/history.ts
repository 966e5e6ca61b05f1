import { Client, Connection } from '@temporalio/client';

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
