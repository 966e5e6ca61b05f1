import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { housekeepingId } from '../../workflows/housekeeping/contract.ts';
import { OpenChat } from '../integration/open-chat.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { createAgent } from '../support/factories.ts';
import { makeNextVersion, type NextVersion, runMigrations } from '../support/next-version.ts';
import { sharedPostgres, withDatabase } from '../support/shared-services.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { type OwnInstance, startOwnInstance } from '../support/test-instance.ts';
import { startTestWorker, type TestWorker } from '../support/test-worker.ts';
import { waitUntil } from '../support/wait-until.ts';

const TASK_FAILED = 'Failing workflow task';
const NEW_CHATS = 12;
/** Far beyond what anything takes, also with four processes of two versions on a busy machine. */
const LIMIT_MS = 900_000;

let instance: OwnInstance;
let next: NextVersion;
let connection: Connection;
let temporal: Client;
/** What the next version has started. */
const started: (TestWorker | ApiProcess)[] = [];
beforeAll(async () => {
  next = makeNextVersion();
  // After the first failure, so that the test need not wait for five.
  const temporalConfig = { 'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute': '1' };
  instance = await startOwnInstance({ temporalConfig });
  connection = await Connection.connect({ address: instance.temporalAddress });
  temporal = new Client({ connection });
});
afterAll(async () => {
  await Promise.all(started.map(async (each) => each.kill()));
  await connection.close();
  await instance.close();
  next.remove();
});

/** What the scripted model says to a message. */
const answerTo = (content: string) => `You said: ${content}`;

/** Messages to some chats, one after the other in each, through apis that come and go. */
class Load {
  /** The apis that take turns. */
  apis: readonly string[];
  readonly #chats: readonly OpenChat[];
  readonly #sent: string[][];
  #isOver = false;
  #longestMs = 0;
  #done: Promise<unknown> = Promise.resolve();

  constructor(chats: readonly OpenChat[], apis: readonly string[]) {
    this.#chats = chats;
    this.#sent = chats.map(() => []);
    this.apis = apis;
  }

  begin(): void {
    this.#done = Promise.all(
      this.#chats.map(async (chat, at) => {
        while (!this.#isOver) await this.#send(chat, this.#sent[at] ?? []);
      }),
    );
    // Awaited by `end`.
    this.#done.catch(() => undefined);
  }

  /** Waits until each chat has so many further answers. */
  async goOn(answers: number): Promise<void> {
    const goals = this.#sent.map(({ length }) => length + answers);
    await waitUntil(
      'further answers',
      () => this.#sent.every((sent, at) => sent.length > (goals[at] ?? 0)) || undefined,
      LIMIT_MS,
    );
  }

  /** Ends the load; returns what was sent to each chat, and the longest time that an answer took. */
  async end(): Promise<{ sent: readonly (readonly string[])[]; longestMs: number }> {
    this.#isOver = true;
    await this.#done;
    return { sent: this.#sent, longestMs: this.#longestMs };
  }

  async #send(chat: OpenChat, sent: string[]): Promise<void> {
    const content = `message ${sent.length + 1}`;
    const body = { content, client_message_id: randomUUID() };
    const from = performance.now();
    sent.push(content);
    await waitUntil('an api to take a message', async () => {
      const apiUrl = this.apis[sent.length % this.apis.length] ?? '';
      const stream = await chat.post(body, { apiUrl }).catch(() => undefined);
      return stream?.status === 200 || stream?.status === 409 ? true : undefined;
    });
    const isAnswered = async () => (await chat.newestMessage())?.content === answerTo(content) || undefined;
    await waitUntil('an answer', isAnswered, LIMIT_MS);
    this.#longestMs = Math.max(this.#longestMs, performance.now() - from);
  }
}

/** Has a run wait for a decision; returns how it is decided, and what comes of it. */
async function startWaitingRun({ user: { client } }: OpenChat) {
  const steps = [{ name: 'send', prompt_template: '[[say sent]]', approval: true }];
  const fields = { name: 'Report', agent_id: await createAgent(client), steps };
  const { json: workflow } = await client.post<{ id: string }>('/api/workflows', fields);
  const { json: run } = await client.post<{ run_id: string }>(`/api/workflows/${workflow.id}/trigger`, {});
  const approval = await waitUntil('a step to wait', async () => {
    const { json } = await client.get<{ id: string }[]>('/api/approvals?status=pending');
    return json[0]?.id;
  });
  const approve = async () => client.post(`/api/approvals/${approval}/decision`, { approve: true });
  const output = async () => {
    const { json } = await client.get<{ output: string | null }>(`/api/workflows/${workflow.id}/runs/${run.run_id}`);
    return json.output ?? undefined;
  };
  return { approve, output };
}

async function countPatched(): Promise<number> {
  let count = 0;
  for await (const { workflowId, runId } of temporal.workflow.list()) {
    const { events } = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
    const isPatched = events?.some(({ markerRecordedEventAttributes: marker }) => marker?.markerName === 'core_patch');
    if (isPatched === true) count += 1;
  }
  return count;
}

/** Has workflows begin anew whose tasks fail, until `isOver`, as docs/upgrading.md has an operator do. */
async function keepResetting(isOver: () => boolean): Promise<void> {
  // The SDK reports the first failure of a task, and lets further attempts time out.
  const failing = "TemporalReportedProblems IN ('category=WorkflowTaskFailed', 'category=WorkflowTaskTimedOut')";
  await waitUntil(
    'the end of the rollback',
    async () => {
      const { count } = await temporal.workflow.count(failing);
      if (count > 0) await temporal.schedule.getHandle(housekeepingId({ interval: 'hour' })).trigger();
      return isOver() || undefined;
    },
    LIMIT_MS,
  );
}

test('messages are answered once while two versions run side by side, and after a rollback', async () => {
  const chats: OpenChat[] = [];
  for (let count = 0; count < 3; count += 1) chats.push(await OpenChat.create(instance));
  const [chat = await OpenChat.create(instance)] = chats;
  const run = await startWaitingRun(chat);
  const load = new Load(chats, [instance.api.url]);
  load.begin();
  await load.goOn(2);

  const { ownerUrl } = await sharedPostgres();
  const owner = withDatabase(ownerUrl, new URL(instance.databaseUrl).pathname.slice(1));
  expect(await runMigrations(owner, next.folder)).toContain('next-version');
  await load.goOn(2);

  const environment = {
    DATABASE_URL: instance.databaseUrl,
    TEMPORAL_ADDRESS: instance.temporalAddress,
    SECRET_KEY: TEST_SECRET_KEY,
    ALLOW_PRIVATE_HOSTS: `127.0.0.1:${instance.model.port}`,
    WORKSPACE_DIR: instance.workspaces,
  };
  const later = await startTestWorker(environment, next.folder);
  const laterApi = await startApiProcess(instance.databaseUrl, {
    temporalAddress: instance.temporalAddress,
    checkout: next.folder,
  });
  started.push(later, laterApi);
  load.apis = [instance.api.url, laterApi.url];
  await load.goOn(6);
  // Those of the load stay where they were begun; either version begins some of these.
  for (let count = 0; count < NEW_CHATS; count += 1) {
    const other = await chat.another();
    const stream = await other.post({ content: 'new' }, { apiUrl: laterApi.url });
    expect((await stream.waitForEnd()).data).toMatchObject({ message: { content: 'You said: new' } });
  }
  expect(await countPatched()).toBe(0);

  load.apis = [laterApi.url];
  const [former] = instance.workers;
  await former?.stop();
  // What a minute does.
  await instance.api.database.system.query('delete from workers');
  const patched = await waitUntil('a patch to be active', async () => {
    const other = await chat.another();
    await (await other.post({ content: 'patched' })).waitForEnd();
    return (await countPatched()) > 0 ? other : undefined;
  });
  await load.goOn(2);
  expect([former?.log(), later.log()].join('\n')).not.toContain(TASK_FAILED);

  load.apis = [instance.api.url];
  expect(await runMigrations(owner)).toContain('up to date');
  const again = await instance.addWorker();
  await Promise.all([later.stop(), laterApi.stop()]);
  await patched.post({ content: 'after the rollback' });
  let isOver = false;
  const resets = keepResetting(() => isOver);
  await waitUntil('the answer', async () => (await patched.answers()).length === 2 || undefined, LIMIT_MS);
  await load.goOn(2);
  await run.approve();
  expect(await waitUntil('the run to end', run.output)).toBe('sent');

  const { sent, longestMs } = await load.end();
  isOver = true;
  await resets;
  process.stdout.write(`rolling upgrade: the longest answer took ${(longestMs / 1000).toFixed(1)} s\n`);
  for (const [at, each] of chats.entries()) {
    const contents = (await each.answers()).map(({ content }) => content);
    expect(contents).toEqual(sent[at]?.map(answerTo));
  }
  expect((await patched.answers()).map(({ content }) => content)).toEqual([
    'You said: patched',
    'You said: after the rollback',
  ]);
  // Histories with the patch do not replay on the former version, as they are not meant to.
  again.takeLog();
});
