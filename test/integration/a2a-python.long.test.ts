import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { A2A_VERSIONS } from '../support/a2a/a2a-clients.ts';
import { generatorFolder, NotInstalled } from '../support/client-generators/generator.ts';
import { PythonEnvironment } from '../support/client-generators/python-environment.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { json, OutsideServer } from '../support/outside-server.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

const SDK = 'a2a-sdk==1.3.0';
const PROGRAM = join(import.meta.dirname, '../support/a2a/python_client.py');
const python = new PythonEnvironment(generatorFolder(SDK), [SDK]);
const failure = await python.install().then(
  () => undefined,
  (error: Error) => error,
);
const describeClient = failure instanceof NotInstalled ? describe.skip : describe;

let receiver: OutsideServer;
let instance: TestInstance;
let user: TestUser;
beforeAll(async () => {
  if (failure !== undefined) throw failure;
  receiver = await OutsideServer.start();
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  receiver.close();
});
beforeEach(async () => {
  receiver.reply = json({});
  receiver.seen.length = 0;
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
});

describeClient.each(A2A_VERSIONS)('the official client in Python, by version %s,', (version) => {
  test('gives an agent work, follows and cancels it, and is notified', async () => {
    const agentId = await createAgent(user.client, { name: 'Helper', is_published: true });
    const args = [instance.api.url, agentId, user.accessToken, version, receiver.url];
    expect(JSON.parse(await python.run('python', [PROGRAM, ...args]))).toEqual({
      name: 'Helper',
      pushes: true,
      sent: { state: 'COMPLETED', text: 'done' },
      got: { state: 'COMPLETED', text: 'done' },
      next: { state: 'COMPLETED', text: 'next', isInContext: true },
      streamed: { first: 'task', last: 'COMPLETED', text: 'streamed' },
      left: true,
      followed: 'task',
      set: 'named',
      read: receiver.url,
      listed: 2,
      kept: 1,
      canceled: 'CANCELED',
      unknown: 'TaskNotFoundError',
    });
    const last = await waitUntil('the notification that it was canceled', () =>
      receiver.seen.find(({ body }) => /canceled/i.test(body)),
    );
    expect(last.headers).toMatchObject({ authorization: 'Bearer credentials', 'x-a2a-notification-token': 'mine' });
  });
});
