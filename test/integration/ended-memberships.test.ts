import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { conversationId } from '../../workflows/turns/contract.ts';
import { createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { join as joinOrg } from '../support/invitations.ts';
import { SocketClient } from '../support/socket-client.ts';
import { SseClient } from '../support/sse-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());

/** The purge is started after the response to the request. */
function ifNotStarted(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}

/** A user who is at work: a turn runs that would never end, one socket and one stream show it. */
async function atWork(user: TestUser) {
  const chatId = await createChat(user.client);
  const content = `[[hold never-${randomUUID()} after 2 chunks]] w1 w2 w3`;
  const socket = await SocketClient.connect(instance.api.url, chatId, user.accessToken);
  socket.send({ type: 'message', content, client_message_id: 'first' });
  await instance.model.waitForRequest(({ messages }) => messages.at(-1)?.content === content);
  const url = `${instance.api.url}/api/chats/${chatId}/stream`;
  const stream = await SseClient.open({ url, token: user.accessToken });
  const hasEnded = async () => {
    const { rows } = await instance.api.database.system.query(
      "select 1 from turns where chat_id = $1 and status in ('queued', 'running')",
      [chatId],
    );
    return rows.length === 0 ? true : undefined;
  };
  const expectStopped = async () => {
    const findCut = () =>
      instance.model.requests.find(({ messages, aborted }) => messages.at(-1)?.content === content && aborted);
    // By itself it would be given up after a minute.
    await waitUntil('the call of the model to be cut', findCut, 45_000);
    await waitUntil('the socket to close', () => socket.closeCode);
    await waitUntil('the stream to close', () => (stream.isDone ? true : undefined));
    await waitUntil('the turn to end', hasEnded);
  };
  return { chatId, socket, expectStopped };
}

async function hostWithModel(): Promise<TestUser> {
  const host = await registerUser(instance.api.url);
  await createProvider(host.client, instance.model.url);
  return host;
}

describe('a member who is at work', () => {
  test('is stopped when they are removed: the turn, the socket and the stream', async () => {
    const host = await hostWithModel();
    const member = await joinOrg(host);
    const work = await atWork(member);
    expect((await host.client.delete(`/api/orgs/${host.orgId}/members/${member.id}`)).status).toBe(204);
    await work.expectStopped();
    const { rows } = await instance.api.database.system.query<{ status: string }>(
      'select status from turns where chat_id = $1',
      [work.chatId],
    );
    expect(rows).toEqual([{ status: 'interrupted' }]);
  });

  test('goes on where they are when they make another organization the active one', async () => {
    const user = await hostWithModel();
    const chatId = await createChat(user.client);
    const socket = await SocketClient.connect(instance.api.url, chatId, user.accessToken);
    const { json: other } = await user.client.post<{ id: string }>('/api/orgs', { name: 'Other' });
    expect((await user.client.post(`/api/orgs/${other.id}/switch`)).status).toBe(200);
    socket.send({ type: 'message', content: '[[say still here]]', client_message_id: 'first' });
    expect((await socket.waitForEnd())['content']).toBe('still here');
    expect(socket.closeCode).toBeUndefined();
    socket.close();
  });
});

describe('an organization that is deleted', () => {
  test('is cleared away: what runs is stopped, records and files are removed, links in them are not followed', async () => {
    const owner = await hostWithModel();
    const other = await hostWithModel();
    const folder = (orgId: string) => join(instance.workspaces, orgId);
    for (const orgId of [owner.orgId, other.orgId]) {
      mkdirSync(join(folder(orgId), 'chat', 'deep'), { recursive: true });
      writeFileSync(join(folder(orgId), 'chat', 'deep', 'notes.md'), 'notes');
    }
    symlinkSync(folder(other.orgId), join(folder(owner.orgId), 'chat', 'link'));
    const work = await atWork(owner);
    expect((await owner.client.delete(`/api/orgs/${owner.orgId}`)).status).toBe(204);
    await work.expectStopped();
    const connection = await Connection.connect({ address: instance.temporalAddress });
    const workflow = new Client({ connection }).workflow;
    const statusOf = async (id: string) => (await workflow.getHandle(id).describe().catch(ifNotStarted))?.status.name;
    // It completes by itself when the stopped turn ends before the workflow that clears away comes to it.
    const hasEnded = async () => {
      const status = await statusOf(conversationId({ orgId: owner.orgId, chatId: work.chatId }));
      return status === 'TERMINATED' || status === 'COMPLETED' ? true : undefined;
    };
    await waitUntil('the conversation to end', hasEnded);
    const isPurged = async () => ((await statusOf(`org-purge/${owner.orgId}`)) === 'COMPLETED' ? true : undefined);
    await waitUntil('the purge to complete', isPurged);
    await connection.close();
    expect(existsSync(folder(owner.orgId))).toBe(false);
    expect(existsSync(join(folder(other.orgId), 'chat', 'deep', 'notes.md'))).toBe(true);
    const { rows } = await instance.api.database.system.query('select 1 from chats where org_id = $1', [owner.orgId]);
    expect(rows).toEqual([]);
  });
});
