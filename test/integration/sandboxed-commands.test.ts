import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { sharedServices } from '../support/shared-services.ts';
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
    const { bwrap } = sharedServices();
    workspaces = mkdtempSync(join(tmpdir(), 'everturn-workspaces-'));
    const program = 'path' in bwrap ? bwrap.path : '';
    instance = await startTestInstance({ worker: { WORKSPACE_DIR: workspaces, SANDBOX_BWRAP: program } });
  }, 120_000);
  afterAll(async () => {
    await instance.close();
    await rm(workspaces, { recursive: true, force: true });
  });
  afterEach(() => chat.close());

  async function begin(args: object, approval = 'never'): Promise<void> {
    chat = await OpenChat.create(instance, {
      agent: { tools: ['shell_run', 'file_read'], requires_approval: { shell_run: approval } },
    });
    socket = await chat.connect();
    const content = `[[tool shell_run ${JSON.stringify(args)}]] [[then]] [[say heard]]`;
    socket.send({ type: 'message', content, client_message_id: 'a' });
  }

  async function detailOf(): Promise<Detail | undefined> {
    const end = await socket.waitForEnd(1, 40_000);
    return (end['metadata'] as { tool_calls_detail: readonly Detail[] }).tool_calls_detail[0];
  }

  /** The folder of the chat's workspace, once the command has left a file in it. */
  const folderWith = async (file: string) =>
    waitUntil(`the file ${file}`, async () => {
      const { json: me } = await chat.user.client.get<{ active_org_id: string }>('/api/users/me');
      const folder = join(workspaces, me.active_org_id, chat.id);
      return existsSync(join(folder, file)) ? folder : undefined;
    });

  const BUSY = 'echo begun > begun; trap "" TERM; i=0; while sleep 0.05; do i=$((i+1)); echo $i > count; done';
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
    const folder = await folderWith('count');
    socket.send({ type: 'interrupt' });
    const detail = await detailOf();
    const count = countIn(folder);
    expect(detail?.status).toMatch(/interrupted|unknown/);
    await expect(waitUntil('another count', () => countIn(folder) !== count || undefined, 500)).rejects.toThrow(
      'in vain',
    );
  });

  test('ends with all its processes when the worker is killed, is not repeated, and stays unknown', async () => {
    await begin({ command: BUSY });
    const folder = await folderWith('count');
    await instance.workers.pop()?.kill();
    const count = countIn(folder);
    await expect(waitUntil('another count', () => countIn(folder) !== count || undefined, 1_000)).rejects.toThrow(
      'in vain',
    );
    await instance.addWorker();
    expect((await detailOf())?.status).toBe('unknown');
    expect(countIn(folder)).toBe(count);
  }, 60_000);

  test('is refused in words where nothing confines it', async () => {
    await instance.workers.pop()?.kill();
    await instance.addWorker({ SANDBOX: 'off' });
    await begin({ command: 'echo ran > ran' });
    const detail = await detailOf();
    expect([detail?.status, detail?.result]).toEqual([
      'error',
      expect.stringContaining('the operator has turned it off (SANDBOX=off)'),
    ]);
  });
});
