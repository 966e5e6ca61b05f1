import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { HostServer } from '../support/code-hosts/index.ts';
import { EmbeddingServer } from '../support/embedding-server.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { OutsideServer } from '../support/outside-server.ts';
import { startOwnInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { recordChannels } from './recordings/channels.ts';
import { recordCodeHosts } from './recordings/code-hosts.ts';
import { recordConversations, recordCrashes, talkLong, waitForDecisions } from './recordings/conversations.ts';
import { recordKnowledge } from './recordings/knowledge.ts';
import { recordOrgs } from './recordings/orgs.ts';
import { recordProviders } from './recordings/providers.ts';
import type { Recorder, Recording } from './recordings/recorder.ts';
import { recordRuns, takeSteps } from './recordings/runs.ts';
import { recordSchedules } from './recordings/schedules.ts';
import { recordServices } from './recordings/services.ts';
import { recordTasks, wakeTask } from './recordings/tasks.ts';
import { deliverWebhooks, recordWebhooks } from './recordings/webhooks.ts';

// Records the histories that the tests replay, from real runs: node scripts/run.mjs test/replay/record-histories.ts 0.2
// Run it after a change that adds a way for a workflow to go. The version goes before the names of the new recordings,
// so that those of before stay: conversations that were begun by older code go on with the newest.

const FOLDER = new URL('./histories/', import.meta.url);
/** Goes before the names, so that the recordings of older code stay: they must replay too. */
const VERSION = process.argv[2] === undefined ? '' : `${process.argv[2]}-`;
// The lingering of a conversation, and some time more.
const CLOSE_LIMIT_MS = 90_000;
/** Events after which the server suggests to continue as new, for the recordings that show it. */
const FEW_EVENTS = '12';

/** Of each capability; those that kill workers first. */
const RECORDERS = [
  recordCrashes,
  recordConversations,
  recordRuns,
  recordProviders,
  recordServices,
  recordKnowledge,
  recordCodeHosts,
  recordWebhooks,
  recordChannels,
  recordTasks,
  recordSchedules,
  recordOrgs,
];

async function record(client: Client, { name, workflowId, runId }: Recording): Promise<void> {
  const handle = client.workflow.getHandle(workflowId, runId);
  // The workflow of a recording may be started in the background.
  await waitUntil(`${name} to begin`, async () => handle.describe().catch(() => undefined), CLOSE_LIMIT_MS);
  await waitUntil(`${name} to close`, async () => ((await isOpen(handle)) ? undefined : true), CLOSE_LIMIT_MS);
  const json = historyToJSON(await handle.fetchHistory());
  // Workers and clients name themselves after their process and machine.
  const anonymous = json.replaceAll(new RegExp(`(\\d+@)?\\b${hostname()}\\b(-\\w+)*`, 'g'), 'recorder');
  writeFileSync(new URL(`${VERSION}${name}.json`, FOLDER), `${anonymous}\n`);
  process.stdout.write(`${name}\n`);
}

async function isOpen(handle: WorkflowHandle): Promise<boolean> {
  return (await handle.describe()).status.name === 'RUNNING';
}

async function withRecorder(
  temporalConfig: Record<string, string>,
  work: (recorder: Recorder) => Promise<void>,
): Promise<void> {
  const host = await HostServer.start('github');
  const receiver = await OutsideServer.start();
  const embeddings = await EmbeddingServer.start();
  const openPorts = [host.port, receiver.port, embeddings.port];
  const instance = await startOwnInstance({ temporalConfig, openPorts });
  const connection = await Connection.connect({ address: instance.temporalAddress });
  try {
    await work({ instance, client: new Client({ connection }), host, receiver, embeddings });
  } finally {
    await connection.close();
    await instance.close();
    host.close();
    receiver.close();
    embeddings.close();
  }
}

async function recordUsual(recorder: Recorder): Promise<void> {
  const recordings: Recording[] = [];
  for (const recordAll of RECORDERS) recordings.push(...(await recordAll(recorder)));
  await Promise.all(recordings.map(async (recording) => record(recorder.client, recording)));
}

async function recordLong({ instance, client, receiver }: Recorder): Promise<void> {
  await recordContinued(client, 'conversation-continued-as-new', await talkLong(instance));
  await recordContinued(client, 'agent-workflow-run-continued-as-new', await takeSteps(instance));
  const [subAgent = ''] = (await waitForDecisions(instance)).subAgents;
  await recordContinued(client, 'sub-agent-continued-as-new', subAgent);
  await recordContinued(client, 'task-continued-as-new', await wakeTask(instance, client));
  await recordContinued(client, 'deliver-webhooks-continued-as-new', await deliverWebhooks(instance, receiver));
}

async function recordContinued(client: Client, name: string, workflowId: string): Promise<void> {
  for await (const { runId, status } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    if (status.name !== 'CONTINUED_AS_NEW') continue;
    return record(client, { name, workflowId, runId });
  }
  throw new Error(`${name}: it did not continue as new`);
}

mkdirSync(FOLDER, { recursive: true });
await setUp();
try {
  await withRecorder({}, recordUsual);
  await withRecorder({ 'limit.historyCount.suggestContinueAsNew': FEW_EVENTS }, recordLong);
} finally {
  await tearDown();
}
process.exit(0);
