import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';

/** What has become of workflows that should have been started. */
export interface FoundWorkflows {
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
  const look = async (workflowId: string): Promise<void> => {
    try {
      const { status } = await workflow.getHandle(workflowId).describe();
      if (status.name === 'RUNNING') open += 1;
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      missing += 1;
    }
  };
  try {
    const lookOn = async (): Promise<void> => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) await look(id);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lookOn));
    return { missing, open };
  } finally {
    await connection.close();
  }
}
