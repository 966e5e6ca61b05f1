import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection, ScheduleOverlapPolicy, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { agentWorkflowRunId } from '../../workflows/agent-workflows/contract.ts';
import { TASK_QUEUE } from '../../workflows/core/contract.ts';
import { housekeepingId } from '../../workflows/housekeeping/contract.ts';
import { bundleWorkflows } from '../replay/replay.ts';
import { createAgent, createProvider, registerUser } from '../support/factories.ts';
import { type OwnInstance, startOwnInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Run {
  readonly status: string;
  readonly output: string | null;
  readonly steps: readonly { readonly attempts: number }[];
}

const CHANGED = fileURLToPath(new URL('../replay/changed-workflows.ts', import.meta.url));

let instance: OwnInstance;
let connection: Connection;
let temporal: Client;
beforeAll(async () => {
  const temporalConfig = {
    // After the first failure, so that the test need not wait for five.
    'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute': '1',
    // As soon as a run has waited once.
    'limit.historyCount.suggestContinueAsNew': '7',
  };
  instance = await startOwnInstance({ temporalConfig, worker: null });
  connection = await Connection.connect({ address: instance.temporalAddress });
  temporal = new Client({ connection });
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

/** Triggers a run of a workflow of its own; returns its Temporal workflow, and how to read it. */
async function triggerRun(steps: readonly object[]) {
  const user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  const fields = { name: 'Report', agent_id: await createAgent(user.client), steps };
  const path = `/api/workflows/${(await user.client.post<{ id: string }>('/api/workflows', fields)).json.id}`;
  const { run_id: runId } = (await user.client.post<{ run_id: string }>(`${path}/trigger`, {})).json;
  const read = async () => (await user.client.get<Run>(`${path}/runs/${runId}`)).json;
  return { workflow: temporal.workflow.getHandle(agentWorkflowRunId({ orgId: user.orgId, runId })), read };
}

const eventsOf = async (workflow: WorkflowHandle) =>
  (await workflow.fetchHistory().catch(() => undefined))?.events ?? [];

/** Waits until a workflow has begun to wait for a time. */
const untilItWaits = async (workflow: WorkflowHandle) =>
  (await eventsOf(workflow)).some(({ timerStartedEventAttributes: waits }) => waits != null) || undefined;

test('a run whose workflow no longer replays goes on from its row, each step once', async () => {
  const { workflow, read } = await triggerRun(['a', 'b'].map((name) => ({ name, prompt_template: `[[say ${name}]]` })));
  await runOtherCode(async () => untilItWaits(workflow));
  await instance.addWorker();
  // By the list that the housekeeping reads.
  await waitUntil('a task to have failed', async () => {
    const { searchAttributes } = await workflow.describe();
    const { count } = await temporal.workflow.count("TemporalReportedProblems = 'category=WorkflowTaskFailed'");
    return (count > 0 && 'TemporalReportedProblems' in searchAttributes) || undefined;
  });
  // Once: the workflow of the Schedule, too, continues as new after a few events, and signals keep it from its work.
  await temporal.schedule.getHandle(housekeepingId({ interval: 'hour' })).trigger(ScheduleOverlapPolicy.ALLOW_ALL);
  const run = await waitUntil('the run to end', async () => {
    const shown = await read();
    return shown.status === 'completed' ? shown : undefined;
  });
  expect([run.output, run.steps.map(({ attempts }) => attempts)]).toEqual(['b', [1, 1]]);
});

test('a cancellation that comes as the workflow of a run would continue as new interrupts the run', async () => {
  if (instance.workers.length === 0) await instance.addWorker();
  const { workflow, read } = await triggerRun([{ name: 'send', prompt_template: '[[say sent]]', approval: true }]);
  await waitUntil('the run to wait', async () => untilItWaits(workflow));
  await workflow.cancel();
  await waitUntil('the run to be interrupted', async () => (await read()).status === 'interrupted' || undefined);
  const tasks = (await eventsOf(workflow)).flatMap(({ workflowTaskStartedEventAttributes: task }) => task ?? []);
  expect(tasks.at(-1)?.suggestContinueAsNew).toBe(true);
});
