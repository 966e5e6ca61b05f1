import { expect, test } from '@jest/globals';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { storeWaitingCall } from '../../test/support/waiting-call.ts';

const served = serveTestApi();

type Fields = Record<string, unknown>;

/** A user and colleagues, and an agent that waits in a chat which all of them read until two have approved. */
async function ask(options?: Parameters<typeof storeWaitingCall>[2]) {
  const { database } = served.api;
  const user = await registerUser(served.url);
  const { orgId } = user;
  const [grace, edsger] = [
    await registerColleague(served.api, user, 'member'),
    await registerColleague(served.api, user, 'admin'),
  ];
  await user.client.patch(`/api/orgs/${orgId}`, { approvals_quorum: 2 });
  const chatId = await createChat(user.client, await createAgent(user.client));
  const { json: project } = await user.client.post<{ id: string }>('/api/projects', { name: 'Shared' });
  await database.system.query('update chats set project_id = $2 where id = $1', [chatId, project.id]);
  const { approvalId } = await storeWaitingCall(database, { orgId, userId: user.id, chatId }, options);
  const path = `/api/approvals/${approvalId}`;
  const decide = async ({ client }: TestUser, decision: Fields) => client.post<Fields>(`${path}/decision`, decision);
  return { user, grace, edsger, path, approvalId, chatId, decide };
}

type Asked = Awaited<ReturnType<typeof ask>>;

test('two people approve one after the other; each vote is shown and in the audit log', async () => {
  const { user, grace, path, approvalId, decide } = await ask();
  expect((await user.client.get(path)).json).toMatchObject({ quorum: 2, votes: [] });
  const first = await decide(user, { approve: true, note: 'It is time' });
  const vote = { user_id: user.id, approve: true, note: 'It is time', voted_at: expect.any(String) };
  expect([first.status, first.json]).toMatchObject([200, { status: 'pending', decided_by: null, votes: [vote] }]);
  const again = await decide(user, { approve: true });
  expect([again.status, again.json]).toEqual([409, { detail: expect.stringMatching(/^You have approved it already/) }]);
  const [listed] = (await grace.client.get<Fields[]>('/api/approvals?status=pending')).json;
  expect(listed).toMatchObject({ id: approvalId, quorum: 2, votes: [vote] });
  const second = await decide(grace, { approve: true });
  const votes = [vote, { user_id: grace.id, approve: true, note: null }];
  expect([second.status, second.json]).toMatchObject([200, { status: 'approved', decided_by: grace.id, votes }]);
  const { json: entries } = await user.client.get<Fields[]>('/api/audit?action=approvals.decide');
  expect(entries.map(({ actor_id: actor }) => actor)).toEqual([grace.id, user.id]);
});

test('one denial denies, and nobody approves with changed arguments', async () => {
  const { user, grace, edsger, decide } = await ask();
  const edited = await decide(user, { approve: true, arguments: { path: 'b.txt', content: 'b' } });
  expect([edited.status, edited.json]).toEqual([403, { detail: expect.stringContaining('written themselves') }]);
  expect((await decide(user, { approve: true })).json).toMatchObject({ status: 'pending' });
  const denied = await decide(grace, { approve: false, note: 'not today' });
  expect(denied.json).toMatchObject({ status: 'denied', note: 'not today', decided_by: grace.id });
  expect((await decide(edsger, { approve: true })).status).toBe(409);
});

test('the user is none of them where another person has to approve', async () => {
  const { user, grace, edsger, decide } = await ask();
  await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_other_person: true });
  expect((await decide(user, { approve: true })).status).toBe(403);
  expect((await decide(grace, { approve: true })).json).toMatchObject({ status: 'pending' });
  expect((await decide(edsger, { approve: true })).json).toMatchObject({ status: 'approved' });
});

test.each([
  ['they have left', async ({ user, grace }) => user.client.delete(`/api/orgs/${user.orgId}/members/${grace.id}`)],
  [
    'they are a viewer',
    async ({ user, grace }) => user.client.patch(`/api/orgs/${user.orgId}/members/${grace.id}`, { role: 'viewer' }),
  ],
  [
    'a group takes the tool from them',
    async ({ user, grace }) => {
      const permissions = ['approvals.manage', 'chats.view_shared'];
      const rules = { name: 'Narrow', permissions, capabilities: { tool_keys: ['time_now'] } };
      const group = await user.client.post<{ id: string }>('/api/permissions/groups', rules);
      expect(group.status).toBe(201);
      return user.client.send('PUT', `/api/permissions/groups/${group.json.id}/members`, { user_ids: [grace.id] });
    },
  ],
  [
    'they do not read the chat any more',
    async ({ chatId }) =>
      served.api.database.system.query('update chats set project_id = null where id = $1', [chatId]),
  ],
] satisfies [string, (asked: Asked) => Promise<unknown>][])(
  'an approval of somebody counts no longer when %s',
  async (_why, change) => {
    const asked = await ask();
    const { user, grace, edsger, path, decide } = asked;
    expect((await decide(grace, { approve: true })).json).toMatchObject({ status: 'pending' });
    await change(asked);
    expect((await decide(user, { approve: true })).json).toMatchObject({
      status: 'pending',
      votes: [{ user_id: user.id }],
    });
    await served.api.database.system.query("update approvals set escalated_role = 'admin', escalated_at = now()");
    expect((await decide(edsger, { approve: true })).json).toMatchObject({ status: 'approved' });
    expect((await user.client.get(path)).json).toMatchObject({ votes: [{ user_id: user.id }, { user_id: edsger.id }] });
  },
);

test('a question is answered by one', async () => {
  const { user, decide } = await ask({ defaultAnswer: '4.1', arguments: { question: 'Which release?' } });
  const answered = await decide(user, { approve: true, answer: '4.2' });
  expect(answered.json).toMatchObject({ status: 'answered', quorum: 1, votes: [] });
});
