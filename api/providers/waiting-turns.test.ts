import { beforeEach, describe, expect, test } from '@jest/globals';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';
import { join } from '../../test/support/invitations.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const served = serveTestApi();
const MODEL = 'https://models.example.com';
const CHAINS = '/api/providers/chains';
const STEPS = [{ provider_type: 'openai' }];

let user: TestUser;
let agentId: string;
let chatId: string;
let turnId: string;

// Its turn waits for a provider, and is not looked at for an hour.
beforeEach(async () => {
  user = await registerUser(served.url);
  agentId = await createAgent(user.client);
  chatId = await createChat(user.client, agentId);
  const owner = { orgId: user.orgId, userId: user.id };
  const message = { chatId, content: 'hello', clientMessageId: undefined };
  ({ turnId } = await acceptMessage(served.api.database, owner, message));
});

async function letTurnWait(): Promise<void> {
  await served.api.database.system.query(
    `update turns set status = 'running', waiting_until = now() + interval '1 hour', next_wake_at = now() + interval '1 hour'
      where id = $1`,
    [turnId],
  );
}

async function isDue(): Promise<boolean> {
  const { rows } = await served.api.database.system.query<{ due: boolean }>(
    'select next_wake_at <= now() as due from turns where id = $1',
    [turnId],
  );
  return rows[0]?.due === true;
}

async function made(path: string, body: Record<string, unknown>): Promise<string> {
  return (await user.client.post<{ id: string }>(path, body)).json.id;
}
const addAccount = async () => createProvider(user.client, MODEL);
const addChain = async (fields: Record<string, unknown> = {}) =>
  made(CHAINS, { name: 'Chain', steps: STEPS, ...fields });

/** A write, prepared before the turn waits. */
type Write = () => Promise<() => Promise<{ status: number }>>;

const WAKING: readonly [string, Write][] = [
  ['an account is added', async () => async () => ({ status: (await addAccount()) === '' ? 0 : 201 })],
  [
    'an account is changed',
    async () => {
      const id = await addAccount();
      return async () => user.client.patch(`/api/providers/${id}`, { cooldown_seconds: 1 });
    },
  ],
  [
    'an account is restored',
    async () => {
      const id = await addAccount();
      await user.client.delete(`/api/providers/${id}`);
      return async () => user.client.patch(`/api/providers/${id}/restore`);
    },
  ],
  [
    'a default chain is added',
    async () => async () => user.client.post(CHAINS, { name: 'C', steps: STEPS, is_default: true }),
  ],
  [
    'a chain gains a step',
    async () => {
      const id = await addChain();
      return async () => user.client.patch(`${CHAINS}/${id}`, { steps: [...STEPS, { provider_type: 'groq' }] });
    },
  ],
  [
    'a chain becomes the default',
    async () => {
      const id = await addChain();
      return async () => user.client.patch(`${CHAINS}/${id}`, { is_default: true });
    },
  ],
  [
    'a chain is deleted',
    async () => {
      const id = await addChain();
      return async () => user.client.delete(`${CHAINS}/${id}`);
    },
  ],
  [
    'its chat is given a chain',
    async () => {
      const id = await addChain();
      return async () => user.client.patch(`/api/chats/${chatId}/provider-chain`, { provider_chain_id: id });
    },
  ],
  [
    'an agent is given a chain',
    async () => {
      const id = await addChain();
      return async () => user.client.patch(`/api/agents/${agentId}`, { provider_chain_id: id });
    },
  ],
  [
    'the limits of members change',
    async () => {
      const member = await join(user, 'member');
      const id = await made('/api/permissions/groups', { name: 'Group' });
      await user.client.send('PUT', `/api/permissions/groups/${id}/members`, { user_ids: [member.id] });
      return async () => user.client.patch(`/api/permissions/groups/${id}`, { limits: { token_budget: 1 } });
    },
  ],
];

const SILENT: readonly [string, Write][] = [
  [
    'a chain is renamed',
    async () => {
      const id = await addChain();
      return async () =>
        user.client.patch(`${CHAINS}/${id}`, { name: 'Other', steps: [{ ...STEPS[0], model_name: null }] });
    },
  ],
  ['an agent is renamed', async () => async () => user.client.patch(`/api/agents/${agentId}`, { name: 'Other' })],
  [
    'a restore is refused',
    async () => {
      const id = await addAccount();
      return async () => ({
        status: (await user.client.patch(`/api/providers/${id}/restore`)).status === 409 ? 200 : 0,
      });
    },
  ],
];

describe('a turn that waits for a provider', () => {
  test.each(WAKING)('is woken when %s', async (_what, prepare) => {
    const write = await prepare();
    await letTurnWait();
    expect(await isDue()).toBe(false);
    expect([200, 201, 204]).toContain((await write()).status);
    expect(await isDue()).toBe(true);
  });

  test.each(SILENT)('waits on when %s', async (_what, prepare) => {
    const write = await prepare();
    await letTurnWait();
    expect([200, 204]).toContain((await write()).status);
    expect(await isDue()).toBe(false);
  });
});
