import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { TASK_QUEUE } from '../core/contract.ts';
import { PROBE_PROVIDER, type ProbeProviderInput, type ProbeResult, probesOf } from './contract.ts';

/** Makes one small call with a provider account, and waits for its result (at most 40 seconds). */
export async function runProviderProbe(client: Client, input: ProbeProviderInput): Promise<ProbeResult> {
  return client.workflow.execute<(input: ProbeProviderInput) => Promise<ProbeResult>>(PROBE_PROVIDER, {
    workflowId: `${probesOf(input)}${uuidv7()}`,
    taskQueue: TASK_QUEUE,
    args: [input],
    workflowExecutionTimeout: '40 seconds',
    priority: { fairnessKey: input.orgId },
  });
}
