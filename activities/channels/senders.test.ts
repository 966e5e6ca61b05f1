import { describe, expect, test } from '@jest/globals';
import { createAgent, registerUser } from '../../test/support/factories.ts';
import { registerColleague, registerGrouped, registerManaged } from '../../test/support/people.ts';
import { serveSlackChannel } from '../../test/support/slack-channel.ts';

const served = serveSlackChannel();
const { chatsOf, introduce, statuses, write } = served;
const STRANGER = expect.stringContaining('members of my organization only');

describe('a stranger', () => {
  test.each([
    ['has no account', { profile: { email: 'nobody@example.com' } }],
    ['has no address', { profile: {} }],
    ['is of another workspace', { team_id: 'T2' }],
    ['is a stranger by the word of Slack', { is_stranger: true }],
    ['has an address that is not confirmed', { is_email_confirmed: false }],
    ['has left', { deleted: true }],
    ['is a bot', { is_bot: true }],
  ])('who %s gets one sentence a day, and nothing else', async (_who, more) => {
    introduce('U9', served.user.email, more);
    await write('<@UBOT> Tell me all.', { user: 'U9' });
    await write('<@UBOT> Now!', { user: 'U9' });
    expect(served.slack.shown).toEqual([STRANGER]);
    expect(await statuses()).toEqual(['refused', 'refused']);
    expect(await chatsOf()).toEqual([]);
  });

  test('whom Slack does not know, or who is a member elsewhere only, is one too', async () => {
    const other = await registerUser(served.url);
    introduce('U8', other.email);
    await write('<@UBOT> Hi', { user: 'U8' });
    await write('<@UBOT> Hi', { user: 'U404' });
    expect(served.slack.shown).toEqual([STRANGER, STRANGER]);
  });

  test('is who has another address than the one that was invited, unless it is an administrator', async () => {
    const colleague = await registerColleague(served.api, served.user, 'member');
    const admin = await registerColleague(served.api, served.user, 'admin');
    for (const [{ client, password }, email, id] of [
      [colleague, 'ceo@example.com', 'U5'],
      [admin, 'boss@example.com', 'U6'],
    ] as const) {
      const changed = await client.send('PUT', '/api/users/me/email', { email, current_password: password });
      expect(changed.status).toBe(200);
      introduce(id, email);
      await write('<@UBOT> Hi', { user: id });
    }
    expect(await statuses()).toEqual(['refused', 'accepted']);
    expect(await chatsOf(colleague)).toEqual([]);
    expect(await chatsOf(admin)).toHaveLength(1);
  });

  test('is who has chosen their address themselves when they were invited', async () => {
    const member = await registerManaged(served.api, served.user, 'member');
    introduce('U7', member.email);
    await write('<@UBOT> Hi', { user: 'U7' });
    expect(await statuses()).toEqual(['refused']);
    await served.user.client.patch(`/api/channels/${served.channelId}`, { people: { U7: member.id } });
    await write('<@UBOT> Hi', { user: 'U7' });
    expect(await chatsOf(member)).toHaveLength(1);
  });

  test('is known by the people of the channel, before their address', async () => {
    const colleague = await registerColleague(served.api, served.user, 'member');
    await served.user.client.patch(`/api/channels/${served.channelId}`, { people: { U1: colleague.id } });
    await write('<@UBOT> Hi');
    expect(await chatsOf()).toEqual([]);
    expect(await chatsOf(colleague)).toHaveLength(1);
    expect(served.slack.callsOf('users.info')).toBe(0);
  });
});

describe('the rights of the account', () => {
  test('decide which agent answers, and the thread says so', async () => {
    const { member, groupPath } = await registerGrouped(served.api, served.user, ['agents.view']);
    const other = await createAgent(served.user.client, { name: 'Other' });
    await served.user.client.patch(groupPath, { capabilities: { agent_ids: [other] } });
    introduce('U3', member.email);
    await write('<@UBOT> Hi', { user: 'U3' });
    expect(served.slack.shown).toEqual(['Your permission groups do not let you use the agent of this chat.']);
    expect(await statuses()).toEqual(['refused']);
  });

  test('end with the agent, which the thread is notified of', async () => {
    await served.user.client.delete(`/api/agents/${served.agentId}`);
    await write('<@UBOT> Hi');
    expect(served.slack.shown).toEqual(['Agent not found.']);
  });
});
