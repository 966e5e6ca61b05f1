import type { Client } from '@temporalio/client';
import { resetToBeginning } from '../../../workflows/resets/client.ts';
import { agentWorkflowRunId } from '../../../workflows/agent-workflows/contract.ts';
import { conversationId } from '../../../workflows/turns/contract.ts';
import { createAgent, type TestUser } from '../../support/factories.ts';
import type { TestInstance } from '../../support/test-instance.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Recorder, type Recording, decideNext, startTalk, untilAsked } from './recorder.ts';

interface RecordedRun {
  /** The workflow of its conversation. */
  readonly conversation: string;
  /** Its own. */
  readonly run: string;
}

/** A run whose second step waits for a decision. */
async function waitBeforeStep(instance: TestInstance): Promise<RecordedRun> {
  const { user } = await startTalk(instance);
  const steps = [
    { name: 'find', prompt_template: '[[say found]]' },
    { name: 'send', prompt_template: '[[say sent]]', approval: true },
  ];
  const { reach, run } = await triggerRun(user, { steps });
  await decideNext(user, true);
  return { conversation: conversationId({ orgId: user.orgId, chatId: await reach('completed') }), run };
}

/** A run with a time limit whose only step fails, and fails again after a pause. */
async function retryStep(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const steps = [{ name: 'only', prompt_template: '[[status 400]]', retries: 1 }];
  const { reach, run } = await triggerRun(user, { steps, time_limit_minutes: 5 });
  await reach('failed');
  return run;
}

/** A run whose workflow is cancelled while a step waits for a decision. */
async function cancelRun(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const steps = [{ name: 'send', prompt_template: '[[say sent]]', approval: true }];
  const { reach, run } = await triggerRun(user, { steps });
  await reach('waiting');
  const handle = client.workflow.getHandle(run);
  await untilAsked(handle);
  await handle.cancel();
  await reach('interrupted');
  return run;
}

/** A run whose workflow is reset while a step waits for a decision. */
async function resetRun(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const steps = [{ name: 'send', prompt_template: '[[say sent]]', approval: true }];
  const { reach, run } = await triggerRun(user, { steps });
  await reach('waiting');
  await untilAsked(client.workflow.getHandle(run));
  await resetToBeginning(client, run);
  await decideNext(user, true);
  await reach('completed');
  return run;
}

/** A run of enough steps for its workflow to begin anew. */
export async function takeSteps(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const steps = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, prompt_template: `[[say ${name}]]` }));
  const { reach, run } = await triggerRun(user, { steps });
  await reach('completed');
  return run;
}

async function triggerRun(user: TestUser, fields: Record<string, unknown>) {
  const flow = { name: 'Report', agent_id: await createAgent(user.client), ...fields };
  const path = `/api/workflows/${(await user.client.post<{ id: string }>('/api/workflows', flow)).json.id}`;
  const { json } = await user.client.post<{ run_id: string }>(`${path}/trigger`, {});
  /** Waits until the run is in a state, and returns its chat. */
  const reach = async (state: string) =>
    waitUntil(`the run to be ${state}`, async () => {
      const run = await user.client.get<{ status: string; chat_id: string }>(`${path}/runs/${json.run_id}`);
      return run.json.status === state ? run.json.chat_id : undefined;
    });
  return { reach, run: agentWorkflowRunId({ orgId: user.orgId, runId: json.run_id }) };
}

export async function recordRuns({ instance, client }: Recorder): Promise<Recording[]> {
  const asked = await waitBeforeStep(instance);
  return [
    { name: 'conversation-waited-before-a-step', workflowId: asked.conversation },
    { name: 'agent-workflow-run-waited-before-a-step', workflowId: asked.run },
    { name: 'agent-workflow-run-retried-a-step', workflowId: await retryStep(instance) },
    { name: 'agent-workflow-run-cancelled', workflowId: await cancelRun(instance, client) },
    { name: 'agent-workflow-run-reset', workflowId: await resetRun(instance, client) },
  ];
}
