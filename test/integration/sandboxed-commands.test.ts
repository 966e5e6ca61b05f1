import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { countProcesses } from '../support/count-processes.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { describeSandboxed } from '../support/test-sandbox.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

interface Detail {
  readonly status: string;
  readonly result: string;
}

describeSandboxed('a shell command of an agent', () => {
  let instance: TestInstance;
  let workspaces: string;
  let chat: OpenChat;
  let socket: SocketClient;
  beforeAll(async () => {
    instance = await startTestInstance();
    ({ workspaces } = instance);
  });
  afterAll(async () => instance.close());
  afterEach(() => chat.close());

  async function open(): Promise<void> {
    chat = await OpenChat.create(instance, {
      agent: { tools: ['shell_run', 'file_read'], requires_approval: { shell_run: 'never' } },
    });
    socket = await chat.connect();
  }

  async function begin(args: object): Promise<void> {
    await open();
    ask(args);
  }

  function ask(args: object): void {
    const content = `[[tool shell_run ${JSON.stringify(args)}]] [[then]] [[say heard]]`;
    socket.send({ type: 'message', content, client_message_id: 'a' });
  }

  async function detailOf(): Promise<Detail | undefined> {
    const end = await socket.waitForEnd();
    return (end['metadata'] as { tool_calls_detail: readonly Detail[] }).tool_calls_detail[0];
  }

  /** The folder of the chat's workspace, once the command has left a file in it. */
  const folderWith = async (file: string) =>
    waitUntil(`the file ${file}`, async () => {
      const { json: me } = await chat.user.client.get<{ active_org_id: string }>('/api/users/me');
      const [folder] = globSync(`copies/*/*/${me.active_org_id}/${chat.id}`, { cwd: workspaces });
      return folder !== undefined && existsSync(join(workspaces, folder, file)) ? join(workspaces, folder) : undefined;
    });

  const MARK = `mark-${Math.random()}`;
  const BUSY = `: ${MARK}; echo begun > begun; trap "" TERM; i=0; while sleep 0.05; do i=$((i+1)); echo $i > count; done`;
  const countIn = (folder: string) => readFileSync(join(folder, 'count'), 'utf8');

  test('works in the workspace of the chat', async () => {
    await begin({ command: 'echo hello > greeting.txt; cat greeting.txt; id -u' });
    const detail = await detailOf();
    expect(detail?.status).toBe('success');
    expect(JSON.parse(detail?.result ?? '')).toMatchObject({
      exit_code: 0,
      stdout: expect.stringMatching(/^hello\n[1-9]/),
    });
    expect(readFileSync(join(await folderWith('greeting.txt'), 'greeting.txt'), 'utf8')).toBe('hello\n');
  });

  test('ends with all its processes when the turn is interrupted, and is told as interrupted', async () => {
    await begin({ command: BUSY });
    await folderWith('count');
    socket.send({ type: 'interrupt' });
    const detail = await detailOf();
    expect(detail?.status).toMatch(/interrupted|unknown/);
    await waitUntil('the end of its processes', () => countProcesses(MARK) === 0 || undefined);
  });

  test('ends with all its processes when the worker is killed, is not repeated, and stays unknown', async () => {
    await begin({ command: BUSY });
    const folder = await folderWith('count');
    await instance.killWorkers();
    await waitUntil('the end of its processes', () => countProcesses(MARK) === 0 || undefined);
    const count = countIn(folder);
    await instance.addWorker();
    expect(await detailOf()).toMatchObject({
      status: 'unknown',
      result: expect.stringMatching(
        /processes were ended .*; the files are as they were before it, or as it left them/,
      ),
    });
    expect(countIn(folder)).toBe(count);
  });

  test('is given a credential by the organization, and nobody is shown it', async () => {
    const secret = 'a-secret-of-the-tracker/8c1f';
    await open();
    const tracker = { kind: 'http', name: 'Tracker', base_url: 'https://tracker.example.com' };
    const given = { credentials: { token: secret }, command_variables: { TRACKER_TOKEN: 'token' } };
    expect((await chat.user.client.post('/api/integrations', { ...tracker, ...given })).status).toBe(201);
    const command = 'echo ${#TRACKER_TOKEN} $TRACKER_TOKEN; tr "\\0" " " < /proc/1/environ; seq 5000; env';
    ask({ command, integrations: ['Tracker'] });
    const detail = await detailOf();
    expect(detail?.result).toContain(`${secret.length} ***`);
    const { json: messages } = await chat.user.client.get(`/api/chats/${chat.id}/messages`);
    const { rows } = await instance.api.database.system.query('select * from tool_calls where org_id = $1', [
      chat.user.orgId,
    ]);
    const folder = await folderWith('tool-results');
    const files = readdirSync(join(folder, 'tool-results')).map((name) =>
      readFileSync(join(folder, 'tool-results', name), 'utf8'),
    );
    expect(files.join()).toContain('TRACKER_TOKEN=***');
    expect(
      JSON.stringify([socket.frames, messages, rows, files, instance.workers.map(({ log }) => log())]),
    ).not.toContain(secret);
  });
});
