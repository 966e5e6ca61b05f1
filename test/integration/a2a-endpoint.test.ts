import { type StreamResponse, Task, TaskState } from '@a2a-js/sdk';
import { TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { A2A_VERSIONS, type A2aVersion, connectA2aClient, messageTo } from '../support/a2a/a2a-clients.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { join } from '../support/invitations.ts';
import { OutsideServer } from '../support/outside-server.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { ShownMessage } from './open-chat.ts';

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());

let user: TestUser;
let key: { readonly id: string; readonly key: string };
let agentId: string;
beforeEach(async () => {
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  agentId = await createAgent(user.client, { name: 'Helper', description: 'Helps.', is_published: true });
  key = (await user.client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name: 'k' })).json;
});

const connect = async (version?: A2aVersion, { token = key.key, url = instance.api.url } = {}) =>
  connectA2aClient({ url, token, agentId }, version);

const chats = async () => (await user.client.get<{ id: string }[]>('/api/chats')).json;
const messagesOf = async (id: string) => (await user.client.get<ShownMessage[]>(`/api/chats/${id}/messages`)).json;

/** Returns the task that a message was answered with. */
function taskIn(answer: object): Task {
  expect(answer).toHaveProperty('status');
  return answer as Task;
}

const textOf = ({ artifacts }: Pick<Task, 'artifacts'>) =>
  artifacts
    .flatMap(({ parts }) => parts.map(({ content }) => (content?.$case === 'text' ? content.value : '?')))
    .join('');
const stateOf = ({ status }: Pick<Task, 'status'>) => TaskState[status?.state ?? -1]?.replace('TASK_STATE_', '');
const sentenceOf = ({ status }: Pick<Task, 'status'>) => {
  const [part] = status?.message?.parts ?? [];
  return part?.content?.$case === 'text' ? part.content.value : undefined;
};
const idOf = (id: string) => ({ tenant: '', id });

/** What the reader of a stream is told, in short: states, and the text of the answer as it grows or is replaced. */
class Reader {
  readonly states: (string | undefined)[] = [];
  first: Task | undefined;
  text = '';
  isWhole = false;

  take({ payload }: StreamResponse): void {
    if (payload?.$case === 'task') {
      this.first = payload.value;
      this.states.push(stateOf(payload.value));
      this.text = textOf(payload.value);
    }
    if (payload?.$case === 'statusUpdate') this.states.push(stateOf(payload.value));
    if (payload?.$case !== 'artifactUpdate' || payload.value.artifact === undefined) return;
    const { append, artifact, lastChunk } = payload.value;
    this.text = (append ? this.text : '') + textOf({ artifacts: [artifact] });
    this.isWhole = lastChunk;
  }

  async readAll(events: AsyncIterable<StreamResponse>): Promise<this> {
    for await (const event of events) this.take(event);
    return this;
  }
}

describe.each(A2A_VERSIONS)('the official client, by version %s,', (version) => {
  test('gives an agent two messages in one context, and finds their tasks again', async () => {
    const client = await connect(version);
    expect(client.protocolVersion).toBe(version);
    const first = taskIn(await client.sendMessage(messageTo('[[say first]]')));
    expect([stateOf(first), textOf(first)]).toEqual(['COMPLETED', 'first']);
    const { contextId } = first;
    const second = taskIn(await client.sendMessage(messageTo('[[say second]]', { contextId })));
    expect([second.contextId, textOf(second)]).toEqual([contextId, 'second']);
    expect(second.id).not.toBe(first.id);
    expect((await messagesOf(contextId)).map(({ content }) => content)).toEqual([
      '[[say first]]',
      'first',
      '[[say second]]',
      'second',
    ]);
    const found = await client.getTask(idOf(first.id));
    expect([found.contextId, stateOf(found), textOf(found)]).toEqual([contextId, 'COMPLETED', 'first']);
    expect(found.history.map(({ parts }) => parts[0]?.content)).toEqual([{ $case: 'text', value: '[[say first]]' }]);
    expect((await client.getTask({ ...idOf(first.id), historyLength: 0 })).history).toEqual([]);
  });

  test('reads the answer while it is written, and at its end as a whole', async () => {
    const client = await connect(version);
    const reader = new Reader();
    const isReleased = `read-${version}`;
    const events = client.sendMessageStream(messageTo(`[[hold ${isReleased} after 2 chunks]] w1 w2 w3 w4`));
    for await (const event of events) {
      reader.take(event);
      if (reader.text !== '' && !reader.isWhole) instance.model.release(isReleased);
    }
    expect(reader.text).toContain('w4');
    expect(reader).toMatchObject({ isWhole: true, text: textOf(await client.getTask(idOf(reader.first?.id ?? ''))) });
    expect(reader.states.at(-1)).toBe('COMPLETED');
    expect(['SUBMITTED', 'WORKING']).toContain(reader.states[0]);
  });

  test('leaves a task, cancels it, and is told that it was canceled', async () => {
    const client = await connect(version);
    const message = messageTo(`[[hold canceled-${version} after 2 chunks]] w1 w2`, { isLeft: true });
    const begun = taskIn(await client.sendMessage(message));
    expect(['SUBMITTED', 'WORKING']).toContain(stateOf(begun));
    const canceled = await client.cancelTask({ ...idOf(begun.id), metadata: undefined });
    expect([canceled.id, stateOf(canceled)]).toEqual([begun.id, 'CANCELED']);
    const [, answer] = await messagesOf(begun.contextId);
    expect(answer?.metadata_['status']).toBe('interrupted');
    expect(stateOf(await client.cancelTask({ ...idOf(begun.id), metadata: undefined }))).toBe('CANCELED');
  });

  test('is told why a task has failed, which cannot be canceled nor followed any more', async () => {
    const client = await connect(version);
    const failed = taskIn(await client.sendMessage(messageTo('[[status 400]]')));
    expect([stateOf(failed), textOf(failed)]).toEqual(['FAILED', '']);
    expect(sentenceOf(failed)).toMatch(/\w/);
    const cancel = client.cancelTask({ ...idOf(failed.id), metadata: undefined });
    await expect(cancel).rejects.toThrow(TaskNotCancelableError);
    await expect(new Reader().readAll(client.resubscribeTask(idOf(failed.id)))).rejects.toThrow(/ended/);
  });

  test('is told when the token limit has cut the answer', async () => {
    const client = await connect(version);
    const cut = taskIn(await client.sendMessage(messageTo('[[length]] a b')));
    expect([stateOf(cut), sentenceOf(cut)]).toEqual(['COMPLETED', expect.stringContaining('token limit')]);
  });

  test('makes one task of a message, however often it is sent', async () => {
    const client = await connect(version);
    const message = messageTo('[[say once]]', { messageId: 'm-1' });
    const [one, two] = [taskIn(await client.sendMessage(message)), taskIn(await client.sendMessage(message))];
    expect([two.id, textOf(two)]).toEqual([one.id, 'once']);
    expect(await messagesOf(one.contextId)).toHaveLength(2);
    const other = client.sendMessage(messageTo('[[say twice]]', { messageId: 'm-1' }));
    await expect(other).rejects.toThrow(/another conversation/);
    expect(await chats()).toHaveLength(1);
  });

  test('is answered when a person has to decide, and follows the task once that was done', async () => {
    const asking = { tools: ['file_write'], requires_approval: { file_write: 'always' } };
    await user.client.patch(`/api/agents/${agentId}`, asking);
    const client = await connect(version);
    const write = `[[tool file_write ${JSON.stringify({ path: 'a.txt', content: 'words' })}]]`;
    const message = messageTo(`${write} [[then]] [[say written]]`, { messageId: `waits-${version}` });
    const waiting = taskIn(await client.sendMessage(message));
    expect([stateOf(waiting), sentenceOf(waiting)]).toEqual(['INPUT_REQUIRED', expect.stringContaining('a.txt')]);
    // Sent again, it waits from the beginning.
    expect(taskIn(await client.sendMessage(message))).toEqual(waiting);
    expect((await new Reader().readAll(client.sendMessageStream(message))).states).toEqual(['INPUT_REQUIRED']);
    const more = client.sendMessage(messageTo('Yes, do it!', { taskId: waiting.id }));
    await expect(more).rejects.toThrow(UnsupportedOperationError);
    const reader = new Reader();
    const read = reader.readAll(client.resubscribeTask(idOf(waiting.id)));
    await waitUntil('the task to be followed', () => reader.first);
    const [approval] = (await user.client.get<{ id: string }[]>('/api/approvals?status=pending')).json;
    await user.client.post(`/api/approvals/${approval?.id}/decision`, { approve: true });
    await read;
    expect([reader.states[0], reader.states.at(-1)]).toEqual(['INPUT_REQUIRED', 'COMPLETED']);
    expect(reader.text).toContain('written');
  });
});

describe('a task', () => {
  test('goes on when the process ends at which its client reads, and is followed at another one', async () => {
    const api = await instance.addApi();
    const client = await connect('1.0', { url: api.url });
    const lost = new Reader();
    const read = lost.readAll(client.sendMessageStream(messageTo('[[hold ends after 2 chunks]] w1 w2 w3 w4')));
    const broken = expect(read).rejects.toThrow();
    await waitUntil('the beginning of the answer', () => lost.text || undefined);
    await api.close();
    await broken;
    const { id } = lost.first ?? { id: '' };
    const elsewhere = await connect();
    const reader = new Reader();
    const again = reader.readAll(elsewhere.resubscribeTask(idOf(id)));
    await waitUntil('the text so far', () => reader.text || undefined);
    expect(reader.text.startsWith(lost.text)).toBe(true);
    instance.model.release('ends');
    await again;
    expect([reader.states.at(-1), reader.isWhole]).toEqual(['COMPLETED', true]);
    expect(reader.text).toContain('w4');
    expect(textOf(await elsewhere.getTask(idOf(id)))).toBe(reader.text);
  });

  test('takes one message: what is said while it is at work begins another one behind it', async () => {
    const client = await connect();
    const begun = taskIn(await client.sendMessage(messageTo('[[hold behind after 2 chunks]] w1 w2', { isLeft: true })));
    const { id: taskId, contextId } = begun;
    await expect(client.sendMessage(messageTo('And?', { taskId }))).rejects.toThrow(UnsupportedOperationError);
    const other = messageTo('And?', { taskId, contextId: crypto.randomUUID() });
    await expect(client.sendMessage(other)).rejects.toThrow(/contextId/);
    const next = taskIn(await client.sendMessage(messageTo('[[say next]]', { contextId, isLeft: true })));
    expect(stateOf(next)).toBe('SUBMITTED');
    instance.model.release('behind');
    const done = await waitUntil('the next task', async () => {
      const found = await client.getTask(idOf(next.id));
      return stateOf(found) === 'COMPLETED' ? found : undefined;
    });
    expect(textOf(done)).toBe('next');
  });

  test('is listed with the others of its user, the last one first, page by page', async () => {
    const client = await connect();
    const tasks: Task[] = [];
    for (const word of ['one', 'two', 'three'])
      tasks.push(taskIn(await client.sendMessage(messageTo(`[[say ${word}]]`))));
    const failed = taskIn(await client.sendMessage(messageTo('[[status 400]]')));
    const status: TaskState = TaskState.TASK_STATE_UNSPECIFIED;
    const wanted = { tenant: '', contextId: '', status, pageToken: '', statusTimestampAfter: undefined };
    const all = await client.listTasks({ ...wanted, includeArtifacts: true });
    const newest = [failed, ...tasks.toReversed()].map(({ id }) => id);
    expect(all.tasks.map(({ id }) => id)).toEqual(newest);
    expect(all).toMatchObject({ totalSize: 4, pageSize: 4, nextPageToken: '' });
    expect(all.tasks.map(textOf)).toEqual(['', 'three', 'two', 'one']);
    const pages: string[][] = [];
    for (let pageToken = ''; pages.length === 0 || pageToken !== '';) {
      const page = await client.listTasks({ ...wanted, pageSize: 3, pageToken });
      expect(page.tasks.flatMap(({ artifacts }) => artifacts)).toEqual([]);
      pages.push(page.tasks.map(({ id }) => id));
      pageToken = page.nextPageToken;
    }
    expect(pages).toEqual([newest.slice(0, 3), newest.slice(3)]);
    const ofState = await client.listTasks({ ...wanted, status: TaskState.TASK_STATE_FAILED });
    expect(ofState.tasks.map(({ id }) => id)).toEqual([failed.id]);
    const ofContext = await client.listTasks({ ...wanted, contextId: tasks[0]?.contextId ?? '' });
    expect(ofContext.tasks.map(({ id }) => id)).toEqual([tasks[0]?.id]);
    const since = failed.status?.timestamp;
    const ofTime = await client.listTasks({ ...wanted, statusTimestampAfter: since });
    expect(ofTime.tasks.map(({ id }) => id)).toEqual([failed.id]);
  });

  test('that is left tells its client when a person has to decide, when it goes on, and what it answers', async () => {
    const receiver = await OutsideServer.start();
    const asking = { tools: ['file_write'], requires_approval: { file_write: 'always' } };
    await user.client.patch(`/api/agents/${agentId}`, asking);
    const client = await connect();
    const write = `[[tool file_write ${JSON.stringify({ path: 'a.txt', content: 'words' })}]]`;
    const push = { tenant: '', id: '', taskId: '', url: receiver.url, token: 'mine', authentication: undefined };
    const text = `${write} [[then]] [[hold pushed after 2 chunks]] w1 w2 w3 w4`;
    const begun = taskIn(await client.sendMessage(messageTo(text, { isLeft: true, push })));
    const notified = () => receiver.seen.map(({ body }) => Task.fromJSON((JSON.parse(body) as { task: object }).task));
    const notifiedOf = async (state: string) =>
      waitUntil(`a notification of ${state}`, () => notified().find((task) => stateOf(task) === state));
    expect(sentenceOf(await notifiedOf('INPUT_REQUIRED'))).toContain('a.txt');
    const [approval] = (await user.client.get<{ id: string }[]>('/api/approvals?status=pending')).json;
    await user.client.post(`/api/approvals/${approval?.id}/decision`, { approve: true });
    await waitUntil(
      'the notification that it goes on',
      () => notified().map(stateOf).at(-1) === 'WORKING' || undefined,
    );
    instance.model.release('pushed');
    const done = await notifiedOf('COMPLETED');
    expect([done.id, done.contextId]).toEqual([begun.id, begun.contextId]);
    expect(textOf(done)).toContain('w4');
    expect(notified().map(stateOf).slice(-3)).toEqual(['INPUT_REQUIRED', 'WORKING', 'COMPLETED']);
    receiver.close();
  });

  test('is unknown to everybody but its user, colleagues included', async () => {
    const theirs = taskIn(await (await connect()).sendMessage(messageTo('[[say secret]]')));
    const colleague = await connect('1.0', { token: (await join(user)).accessToken });
    const stranger = await registerUser(instance.api.url);
    const elsewhere = await createAgent(stranger.client, { name: 'Other', is_published: true });
    const target = { url: instance.api.url, token: stranger.accessToken, agentId: elsewhere };
    for (const client of [colleague, await connectA2aClient(target)]) {
      await expect(client.getTask(idOf(theirs.id))).rejects.toThrow(TaskNotFoundError);
      const cancel = client.cancelTask({ ...idOf(theirs.id), metadata: undefined });
      await expect(cancel).rejects.toThrow(TaskNotFoundError);
      await expect(new Reader().readAll(client.resubscribeTask(idOf(theirs.id)))).rejects.toThrow(TaskNotFoundError);
      const more = messageTo('And?', { taskId: theirs.id });
      await expect(client.sendMessage(more)).rejects.toThrow(TaskNotFoundError);
      const { contextId } = theirs;
      await expect(client.sendMessage(messageTo('And?', { contextId }))).rejects.toThrow(/contextId/);
    }
    const foreign = connectA2aClient({ ...target, agentId });
    await expect((await foreign).getTask(idOf(theirs.id))).rejects.toThrow(/Agent not found/);
  });

  test('goes on when its reader loses the key in mid-stream', async () => {
    const client = await connect();
    const reader = new Reader();
    const read = reader.readAll(client.sendMessageStream(messageTo('[[hold revoked after 2 chunks]] w1 w2 w3 w4')));
    const broken = expect(read).rejects.toThrow(/token/);
    await waitUntil('the beginning of the answer', () => reader.text || undefined);
    await user.client.delete(`/api/users/me/api-keys/${key.id}`);
    await broken;
    instance.model.release('revoked');
    const [chat] = await chats();
    const answer = await waitUntil('the answer', async () => (await messagesOf(chat?.id ?? ''))[1]);
    expect(answer.metadata_['status']).toBe('completed');
    await expect(client.getTask(idOf(reader.first?.id ?? ''))).rejects.toThrow(/token/);
  });
});
