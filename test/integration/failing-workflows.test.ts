import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { agentWorkflowRunId } from '../../workflows/agent-workflows/contract.ts';
import { TASK_QUEUE } from '../../workflows/core/contract.ts';
import { housekeepingId } from '../../workflows/housekeeping/contract.ts';
import { bundleWorkflows } from '../replay/replay.ts';
import { createAgent, createProvider, registerUser } from '../support/factories.ts';
import { type OwnInstance, startOwnInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

const CHANGED = fileURLToPath(new URL('../replay/changed-workflows.ts', import.meta.url));

let instance: OwnInstance;
let connection: Connection;
beforeAll(async () => {
  // After the first failure, so that the test need not wait for five.
  const temporalConfig = { 'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute': '1' };
  instance = await startOwnInstance({ temporalConfig, worker: null });
  connection = await Connection.connect({ address: instance.temporalAddress });
});
afterAll(async () => {
  await connection.close();
  // Tasks have failed, as they were to.
  for (const worker of instance.workers) worker.takeLog();
  await instance.close();
});

/** Has the open workflows begin with code that decides something else than today's. */
async function runOtherCode(until: () => Promise<true | undefined>): Promise<void> {
  const native = await NativeConnection.connect({ address: instance.temporalAddress });
  const workflowBundle = await bundleWorkflows(CHANGED);
  const worker = await Worker.create({ connection: native, taskQueue: TASK_QUEUE, workflowBundle });
  await worker.runUntil(waitUntil('the other code to decide', until));
  await native.close();
}

test('a run whose workflow no longer replays goes on from its row, each step once', async () => {
  const temporal = new Client({ connection });
  const user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  const steps = ['a', 'b'].map((name) => ({ name, prompt_template: `[[say ${name}]]` }));
  const fields = { name: 'Report', agent_id: await createAgent(user.client), steps };
  const path = `/api/workflows/${(await user.client.post<{ id: string }>('/api/workflows', fields)).json.id}`;

  const { json } = await user.client.post<{ run_id: string }>(`${path}/trigger`, {});
  const workflow = temporal.workflow.getHandle(agentWorkflowRunId({ orgId: user.orgId, runId: json.run_id }));
  await runOtherCode(async () => {
    const { events } = await workflow.fetchHistory().catch(() => ({ events: [] }));
    return events?.some(({ timerStartedEventAttributes: sleeps }) => sleeps != null) ? true : undefined;
  });
  await instance.addWorker();
  await waitUntil('a task to have failed', async () => {
    const { events } = await workflow.fetchHistory();
    return events?.some(({ workflowTaskFailedEventAttributes: failed }) => failed != null) ? true : undefined;
  });
  const run = await waitUntil('the run to end', async () => {
    await temporal.schedule.getHandle(housekeepingId({ interval: 'hour' })).trigger();
    const shown = await user.client.get<{ status: string; output: string; steps: { attempts: number }[] }>(
      `${path}/runs/${json.run_id}`,
    );
    return shown.json.status === 'completed' ? shown.json : undefined;
  });
  expect([run.output, run.steps.map(({ attempts }) => attempts)]).toEqual(['b', [1, 1]]);
});
