import { expect, test } from '@jest/globals';
import { notifyAsked } from '../../db/notifications/notify-asked.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague, registerGrouped } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { storeWaitingCall } from '../../test/support/waiting-call.ts';

const served = serveTestApi();

type Fields = Record<string, unknown>;

/** A user whose agent waits in a private chat, in an organization that escalates as `settings` say. */
async function ask(settings: Fields = {}, options?: Parameters<typeof storeWaitingCall>[2]) {
  const { database } = served.api;
  const user = await registerUser(served.url);
  const { orgId } = user;
  const agentId = await createAgent(user.client, { name: 'Lead' });
  await user.client.patch(`/api/orgs/${orgId}`, { approvals_escalation_minutes: 30, ...settings });
  const chatId = await createChat(user.client, agentId);
  const { approvalId, turnId } = await storeWaitingCall(database, { orgId, userId: user.id, chatId }, options);
  const escalate = async () => {
    await database.system.query('update approvals set escalate_at = now() where id = $1', [approvalId]);
    await notifyAsked(database, { orgId, turnId });
  };
  return { user, agentId, chatId, approvalId, escalate };
}

const read = async ({ client }: TestUser, id: string) => client.get<Fields>(`/api/approvals/${id}`);
const listed = async ({ client }: TestUser) =>
  (await client.get<Fields[]>('/api/approvals?status=pending')).json.length;
const decide = async ({ client }: TestUser, id: string, decision: Fields) =>
  client.post<Fields>(`/api/approvals/${id}/decision`, decision);

test('a call of a private chat is seen and decided by administrators once it is escalated, and its chat is not', async () => {
  const { user, chatId, approvalId, escalate } = await ask();
  const [admin, member] = [
    await registerColleague(served.api, user, 'admin'),
    await registerColleague(served.api, user, 'member'),
  ];
  expect([(await read(admin, approvalId)).status, await listed(admin)]).toEqual([404, 0]);
  expect((await read(user, approvalId)).json).toMatchObject({ escalated_at: null, escalated_to: null });
  await escalate();
  expect((await read(user, approvalId)).json).toMatchObject({
    escalate_at: null,
    escalated_at: expect.any(String),
    escalated_to: { user_id: null, user_name: null, role: 'admin' },
  });
  expect([(await read(member, approvalId)).status, await listed(member)]).toEqual([404, 0]);
  expect([await listed(admin), (await admin.client.get(`/api/chats/${chatId}`)).status]).toEqual([1, 404]);
  const decided = await decide(admin, approvalId, { approve: true });
  expect([decided.status, decided.json]).toMatchObject([200, { status: 'approved', decided_by: admin.id }]);
  expect((await decide(user, approvalId, { approve: false })).status).toBe(409);
});

test('a question is answered by the member to whom it is escalated, and still by whom it asks', async () => {
  for (const isByDeputy of [true, false]) {
    const { user, approvalId, escalate } = await ask({}, { defaultAnswer: '4.1', arguments: { question: 'Which?' } });
    const grace = await registerColleague(served.api, user, 'member');
    await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_escalation_user_id: grace.id });
    await escalate();
    expect((await read(grace, approvalId)).json).toMatchObject({ escalated_to: { user_id: grace.id, role: null } });
    const who = isByDeputy ? grace : user;
    const { status, json } = await decide(who, approvalId, { approve: true, answer: '4.2' });
    expect([status, json]).toMatchObject([200, { status: 'answered', decided_by: who.id }]);
  }
});

test('the rights of this moment count for who decides what is escalated to them', async () => {
  const { user, agentId, approvalId, escalate } = await ask({ approvals_escalation_role: 'member' });
  const { member, groupPath } = await registerGrouped(served.api, user, ['approvals.view', 'agents.view']);
  const restrict = async (changes: Fields) => expect((await user.client.patch(groupPath, changes)).status).toBe(200);
  await escalate();
  const attempt = async () => (await decide(member, approvalId, { approve: true })).status;
  expect(await attempt()).toBe(403);
  const permissions = ['approvals.manage', 'agents.view'];
  await restrict({ permissions, capabilities: { agent_ids: [await createAgent(user.client)] } });
  expect(await attempt()).toBe(404);
  await restrict({ capabilities: { agent_ids: [agentId], tool_keys: ['file_read'] } });
  expect(await attempt()).toBe(403);
  await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_other_person: true });
  expect((await decide(user, approvalId, { approve: true })).status).toBe(403);
  const grace = await registerColleague(served.api, user, 'member');
  expect((await decide(grace, approvalId, { approve: true })).json).toMatchObject({ decided_by: grace.id });
});
