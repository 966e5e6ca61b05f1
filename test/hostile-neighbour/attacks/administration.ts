import { expect } from '@jest/globals';
import { join } from '../../support/invitations.ts';
import type { AttackFamily } from '../attack.ts';
import { createProvider } from '../../support/factories.ts';
import { tally } from '../tally.ts';

/** What an account may ask for, asked for too often. */
export const administration: AttackFamily = {
  name: 'administration',
  attacks: [
    {
      name: 'interrupts without an end',
      run: async (attacker) => {
        await attacker.model(() => undefined);
        const chatId = await attacker.chat();
        await attacker.stream(chatId, { content: 'Wait.' });
        const statuses = await attacker.repeat(
          20,
          async () => (await attacker.client.post(`/api/chats/${chatId}/interrupt`)).status,
        );
        expect(statuses).toContain(200);
        return tally(statuses);
      },
    },
    {
      name: 'tests an account that never answers',
      run: async (attacker) => {
        let asked = 0;
        const id = await attacker.model(() => {
          asked += 1;
        });
        const limit = AbortSignal.timeout(attacker.scene.attackMs);
        const headers = { authorization: `Bearer ${attacker.user.accessToken}` };
        const tests = await Promise.all(
          Array.from({ length: 40 }, async () =>
            fetch(`${attacker.url}/api/providers/${id}/test`, { method: 'POST', headers, signal: limit }).then(
              ({ status }) => status,
              () => 'waits',
            ),
          ),
        );
        expect(asked).toBeGreaterThan(0);
        return `${tally(tests)}; ${asked} calls`;
      },
    },
    {
      name: 'asks for what a viewer may not do, as fast as it can',
      run: async (attacker) => {
        const viewer = await join(attacker.user, 'viewer');
        const statuses = await attacker.repeat(
          20,
          async () => (await viewer.client.post('/api/agents', { name: 'No' })).status,
        );
        expect(statuses).toContain(403);
        return tally(statuses);
      },
    },
    {
      name: 'changes permission groups without an end',
      run: async (attacker) => {
        const { client, user } = attacker;
        const { json } = await client.post<{ id: string }>('/api/permissions/groups', { name: 'Churn' });
        const statuses = await attacker.repeat(20, async (index) => {
          const members = { user_ids: index % 2 === 0 ? [user.id] : [] };
          await client.send('PUT', `/api/permissions/groups/${json.id}/members`, members);
          const changes = { limits: { token_budget: index } };
          return (await client.patch(`/api/permissions/groups/${json.id}`, changes)).status;
        });
        expect(statuses).toContain(200);
        return tally(statuses);
      },
    },
    {
      name: 'makes and deletes organizations without an end',
      run: async (attacker) => {
        const statuses = await attacker.repeat(10, async (index) => {
          const made = await attacker.client.post<{ id: string }>('/api/orgs', { name: `Org ${index}` });
          if (made.status !== 201) return made.status;
          return (await attacker.client.delete(`/api/orgs/${made.json.id}`)).status;
        });
        expect(statuses).toContain(204);
        return tally(statuses);
      },
    },
    {
      name: 'makes and revokes API keys without an end',
      run: async (attacker) => {
        const statuses = await attacker.repeat(20, async () => {
          const made = await attacker.client.post<{ id: string }>('/api/users/me/api-keys', { name: 'Key' });
          if (made.status !== 201) return made.status;
          return (await attacker.client.delete(`/api/users/me/api-keys/${made.json.id}`)).status;
        });
        expect(statuses).toContain(204);
        return tally(statuses);
      },
    },
    {
      name: 'adds provider accounts without an end',
      run: async (attacker) => {
        const url = `${attacker.host(() => undefined)}/v1`;
        const ids = await attacker.repeat(20, async () => createProvider(attacker.client, url).catch(() => 'refused'));
        expect(ids.some((id) => id !== 'refused')).toBe(true);
        const chatId = await attacker.chat();
        const { kind } = await attacker.ask(chatId);
        expect(['failed', 'stopped']).toContain(kind);
        return `${ids.filter((id) => id !== 'refused').length} added, a turn among them ${kind}`;
      },
    },
    {
      name: 'searches the audit log as fast as it can',
      run: async (attacker) => {
        const statuses = await attacker.repeat(20, async () => (await attacker.client.get('/api/audit')).status);
        expect(statuses).toContain(200);
        return tally(statuses);
      },
    },
  ],
};
