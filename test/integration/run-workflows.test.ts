import { Client, Connection, ScheduleOverlapPolicy, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { agentWorkflowRunId } from '../../workflows/agent-workflows/contract.ts';
import { housekeepingId } from '../../workflows/housekeeping/contract.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { actAsOperator } from '../support/operator.ts';
import { recoverDueWork } from '../support/recover-due-work.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Run {
  readonly status: string;
  readonly chat_id: string;
  readonly output: string | null;
  readonly steps: readonly { readonly attempts: number }[];
}

let instance: TestInstance;
let connection: Connection;
let user: TestUser;
let agentId: string;

beforeAll(async () => {
  instance = await startTestInstance();
  connection = await Connection.connect({ address: instance.temporalAddress });
});
afterAll(async () => {
  await connection.close();
  await instance.close();
});
beforeEach(async () => {
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  agentId = await createAgent(user.client, { name: 'Worker' });
});

const FIND = { name: 'find', prompt_template: '[[say found]]' };
const SEND = { name: 'send', prompt_template: '[[say sent]]', approval: true };

/** A run of a workflow of its own. */
class TriggeredRun {
  readonly id: string;
  readonly #path: string;

  constructor(workflowId: string, id: string) {
    this.id = id;
    this.#path = `/api/workflows/${workflowId}/runs/${id}`;
  }

  get workflow(): WorkflowHandle {
    const id = agentWorkflowRunId({ orgId: user.orgId, runId: this.id });
    return new Client({ connection }).workflow.getHandle(id);
  }

  async shown(): Promise<Run> {
    return (await user.client.get<Run>(this.#path)).json;
  }

  async reach(status: string): Promise<Run> {
    return waitUntil(`the run to be ${status}`, async () => {
      const run = await this.shown();
      return run.status === status ? run : undefined;
    });
  }

  async interrupt(): Promise<void> {
    await user.client.post(`${this.#path}/interrupt`);
  }

  /** Waits until its Temporal workflow says what it waits for. */
  async details(text: string): Promise<void> {
    await waitUntil(`the workflow of the run to say: ${text}`, async () => {
      const asked = this.workflow.query<{ currentDetails: string }>('__temporal_workflow_metadata');
      return (await asked.catch(() => undefined))?.currentDetails === text || undefined;
    });
  }

  /** Waits until its Temporal workflow is in a state. */
  async reachInTemporal(status: string): Promise<void> {
    await waitUntil(`the workflow of the run to be ${status}`, async () => {
      const description = await this.workflow.describe().catch(() => undefined);
      return description?.status.name === status || undefined;
    });
  }
}

async function addWorkflow(fields: Record<string, unknown>): Promise<string> {
  const workflow = { name: 'Weekly report', agent_id: agentId, ...fields };
  return (await user.client.post<{ id: string }>('/api/workflows', workflow)).json.id;
}

async function trigger(workflowId: string): Promise<TriggeredRun> {
  const { json } = await user.client.post<{ run_id: string }>(`/api/workflows/${workflowId}/trigger`, {});
  return new TriggeredRun(workflowId, json.run_id);
}

/** Triggers a run that waits for a decision before its second step. */
async function waitingRun(): Promise<TriggeredRun> {
  const run = await trigger(await addWorkflow({ steps: [FIND, SEND] }));
  await run.reach('waiting');
  return run;
}

async function pendingApproval(): Promise<string> {
  return waitUntil('a step to wait', async () => {
    const { json } = await user.client.get<{ id: string }[]>('/api/approvals?status=pending');
    return json[0]?.id;
  });
}

const approve = async () => user.client.post(`/api/approvals/${await pendingApproval()}/decision`, { approve: true });

describe('the Temporal workflow of a run', () => {
  test('is found by the id of the run, says what it is and what it waits for, and ends with it', async () => {
    const run = await waitingRun();
    const description = await run.workflow.describe();
    expect([description.status.name, await description.staticSummary()]).toEqual(['RUNNING', 'Weekly report (manual)']);
    await run.details('Step 2 of 2. Waits for the approval of its step.');
    await approve();
    expect(await run.reach('completed')).toMatchObject({ output: 'sent' });
    await run.reachInTemporal('COMPLETED');
  });

  test('takes two local activities and no timer for a run of one step', async () => {
    const run = await trigger(await addWorkflow({ prompt_template: '[[hold cost after 1 chunks]] done' }));
    await run.details('Step 1 of 1. Waits for the end of its turn.');
    instance.model.release('cost');
    await run.reachInTemporal('COMPLETED');
    const { events } = await run.workflow.fetchHistory();
    const timers = (events ?? []).filter(({ timerStartedEventAttributes: started }) => started != null);
    const activities = (events ?? []).filter(({ markerRecordedEventAttributes: recorded }) => recorded != null);
    expect([timers.length, activities.length]).toEqual([0, 2]);
  });

  test('interrupts the run when it is cancelled', async () => {
    const run = await waitingRun();
    await actAsOperator(new Client({ connection }), run.workflow, 'cancelled');
    await run.reach('interrupted');
    await run.reachInTemporal('COMPLETED');
    expect((await user.client.get('/api/approvals?status=pending')).json).toEqual([]);
  });

  test.each(['terminated', 'deleted', 'reset'] as const)('goes on with the next change when it was %s', async (how) => {
    const run = await waitingRun();
    await run.details('Step 2 of 2. Waits for the approval of its step.');
    await actAsOperator(new Client({ connection }), run.workflow, how);
    await approve();
    expect((await run.reach('completed')).steps.map(({ attempts }) => attempts)).toEqual([1, 1]);
    await run.reachInTemporal('COMPLETED');
  });

  test('begins again in the night when somebody has terminated it', async () => {
    const run = await waitingRun();
    // Its activity has noted by then what it has seen.
    await run.details('Step 2 of 2. Waits for the approval of its step.');
    await run.workflow.terminate();
    const night = new Client({ connection }).schedule.getHandle(housekeepingId({ interval: 'night' }));
    // Also while an earlier one goes on.
    await night.trigger(ScheduleOverlapPolicy.ALLOW_ALL);
    await waitUntil('the workflow of the run to be there again', async () => {
      await recoverDueWork(instance);
      return (await run.workflow.describe()).status.name === 'RUNNING' || undefined;
    });
  });

  test('changes nothing when somebody signals it', async () => {
    const run = await waitingRun();
    await run.details('Step 2 of 2. Waits for the approval of its step.');
    await run.workflow.signal('wake');
    await approve();
    expect((await run.reach('completed')).steps.map(({ attempts }) => attempts)).toEqual([1, 1]);
  });

  test('ends when the run is deleted with its workflow', async () => {
    const id = await addWorkflow({ prompt_template: '[[think 60s]]' });
    const run = await trigger(id);
    await run.reachInTemporal('RUNNING');
    expect((await user.client.delete(`/api/workflows/${id}`)).status).toBe(204);
    await run.reachInTemporal('COMPLETED');
  });

  test('does not exist while the run waits in a queue, and ends it when it is interrupted there', async () => {
    const id = await addWorkflow({ prompt_template: '[[think 60s]]', max_concurrent_runs: 1 });
    const [first, second, third] = [await trigger(id), await trigger(id), await trigger(id)];
    await first.reachInTemporal('RUNNING');
    await expect(second.workflow.describe()).rejects.toThrow('not found');
    await third.interrupt();
    await third.reach('interrupted');
    await first.interrupt();
    await first.reach('interrupted');
    await second.reachInTemporal('RUNNING');
    await second.interrupt();
    await second.reachInTemporal('COMPLETED');
  });
});
