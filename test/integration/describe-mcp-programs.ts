import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { longTest } from '../support/in-length.ts';
import { SocketClient } from '../support/socket-client.ts';
import type { TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Detail {
  readonly status: string;
  readonly result: string;
}

const SECRET = 'a-secret-of-the-program';

/** Describes MCP servers that are programs of the operator, on an installation whose catalog names them. */
export function describeMcpPrograms(installed: () => TestInstance): void {
  describe('a program of the operator as an MCP server', () => {
    let instance: TestInstance;
    let user: TestUser;
    let socket: SocketClient | undefined;
    beforeAll(async () => {
      instance = installed();
      user = await registerUser(instance.api.url);
      await createProvider(user.client, instance.model.url);
    });
    afterEach(() => socket?.close());

    /** Adds a server, fetches its tools, and returns an agent that has them. */
    async function agentWith(fields: Record<string, unknown>): Promise<string> {
      const { json } = await user.client.post<{ id: string }>('/api/mcp-servers', fields);
      const fetched = await user.client.post(`/api/mcp-servers/${json.id}/tools/fetch`);
      expect(fetched.status).toBe(200);
      return createAgent(user.client, { tools: ['mcp'], mcps: [{ id: json.id }] });
    }

    async function ask(agentId: string, content: string): Promise<SocketClient> {
      const chatId = await createChat(user.client, agentId);
      socket = await SocketClient.connect(instance.api.url, chatId, user.accessToken);
      socket.send({ type: 'message', content: `${content} [[then]] [[say done]]`, client_message_id: chatId });
      return socket;
    }

    async function detailsOf(open: SocketClient): Promise<readonly Detail[]> {
      const end = await open.waitForEnd();
      return (end['metadata'] as { tool_calls_detail: readonly Detail[] }).tool_calls_detail;
    }

    test('is listed, added by an administrator, and called by agents, who are never shown its secret', async () => {
      const listed = await waitUntil('the workers to say that they can start it', async () => {
        const { json } = await user.client.get<{ url: string; available: boolean }[]>('/api/mcp-servers/catalog');
        return json.every(({ available }) => available) ? json : undefined;
      });
      expect(listed.map(({ url }) => url)).toEqual(['stdio:small', 'stdio:plain', 'stdio:broken', 'stdio:everything']);
      const secret = { auth_type: 'bearer', auth_value: SECRET };
      const agentId = await agentWith({ name: 'Small', url: 'stdio:small', ...secret });
      const open = await ask(agentId, '[[tool mcp__Small__count {}]] [[tool mcp__Small__die {}]]');
      const details = await detailsOf(open);
      expect(details).toMatchObject([
        { status: 'success', result: expect.stringContaining('1') },
        { status: 'unknown', result: expect.stringContaining('its last words: killed with ***') },
      ]);
      const { rows } = await instance.api.database.system.query('select * from tool_calls');
      expect(JSON.stringify([open.frames, rows, instance.workers.map(({ log }) => log())])).not.toContain(SECRET);
    });

    longTest(
      'dies with its worker: a call that may change something stays unknown, and is not made again',
      async () => {
        const agentId = await agentWith({ name: 'Plain', url: 'stdio:plain' });
        const open = await ask(agentId, '[[tool mcp__Plain__hang {}]]');
        await waitUntil('the call to begin', async () => {
          const running = "select id from tool_calls where name = 'mcp__Plain__hang' and status = 'running'";
          return (await instance.api.database.system.query(running)).rows[0];
        });
        await instance.killWorkers();
        await instance.addWorker();
        expect(await detailsOf(open)).toMatchObject([{ status: 'unknown' }]);
      },
    );

    test('that cannot start says why when its tools are fetched', async () => {
      const { json } = await user.client.post<{ id: string }>('/api/mcp-servers', { name: 'B', url: 'stdio:broken' });
      const fetched = await user.client.post(`/api/mcp-servers/${json.id}/tools/fetch`);
      expect([fetched.status, fetched.json]).toEqual([502, { detail: expect.stringContaining('cannot start with') }]);
    });
  });
}
