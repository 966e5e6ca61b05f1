import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { expireApprovals } from '../../db/approvals/decide-approval.ts';
import { SecretBox } from '../../db/core/secret-box.ts';
import { sealDecisionLink } from '../../db/notifications/decision-link.ts';
import { notifyAsked } from '../../db/notifications/notify-asked.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { FileStores } from '../../files/file-stores.ts';
import { addChannel } from '../../test/support/add-channel.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import {
  buttonsOf,
  FakeSlack,
  sendAsSlack,
  slackEvent,
  slackInteraction,
  TEAM,
  tooManyRequests,
} from '../../test/support/fake-slack.ts';
import { json } from '../../test/support/outside-server.ts';
import { registerColleague, registerGrouped } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { TEST_SECRET_KEY } from '../../test/support/test-api.ts';
import { storeWaitingCall } from '../../test/support/waiting-call.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { webhookDeps } from '../../test/support/webhook-deps.ts';
import { receiveWaiting } from '../channels/receive-messages.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../core/network/guarded-http.ts';
import { updateMessage } from '../../db/webhooks/update-message.ts';
import { deliverWaiting } from '../webhooks.ts';

const served = serveTestApi({ privateHosts: '127.0.0.1:*' });
const SECRET = 'the signing secret of the app';
const FORM = 'application/x-www-form-urlencoded';
const signal = new AbortController().signal;

type Fields = Record<string, unknown>;
type Options = Parameters<typeof storeWaitingCall>[2];

let slack: FakeSlack;
let guarded: ReturnType<typeof createGuardedFetch>;
let user: TestUser;
let channelId: string;
let integrationId: string;
let agentId: string;

beforeAll(async () => {
  slack = await FakeSlack.start();
  guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${slack.port}`));
});
afterAll(async () => {
  slack.close();
  await guarded.close();
});

/** An organization with a channel, and a user whom Slack knows and who wants to be asked there. */
beforeEach(async () => {
  slack.clear();
  user = await registerUser(served.url);
  agentId = await createAgent(user.client, { name: 'Lead & Co' });
  const integration = { kind: 'slack', base_url: slack.url, credentials: { token: 'xoxb-of-the-tests' } };
  const channel = { kind: 'slack', agentId, secret: SECRET, integration } as const;
  ({ channelId, integrationId } = await addChannel(user, channel));
  introduce('U1', user);
  await user.client.patch('/api/users/me', { slack_notifications: true });
});

function introduce(id: string, { email }: TestUser, more: Fields = {}): void {
  slack.users.set(id, { id, team_id: TEAM, is_bot: false, is_email_confirmed: true, profile: { email }, ...more });
}

const query = async <T extends object>(text: string, values: unknown[] = [user.orgId]) =>
  (await served.api.database.system.query<T>(text, values)).rows;

/** Makes all due deliveries of the organization. */
async function deliver(): Promise<void> {
  const { database } = served.api;
  const deps = await webhookDeps(database, guarded);
  const targets = await query<{ id: string }>('select id from webhook_targets where org_id = $1 and due_at <= now()');
  for (const { id } of targets) await deliverWaiting(deps, { orgId: user.orgId, targetId: id }, signal);
}

/** Shows the notices that wait. */
async function receive(): Promise<void> {
  const deps = {
    database: served.api.database,
    box: new SecretBox([TEST_SECRET_KEY]),
    http: createGuardedHttp(guarded.fetch),
    sockets: guarded,
    files: await FileStores.open(served.api.database, undefined),
    orgLimits: parseOrgLimits(''),
    log: pino({ level: 'silent' }),
  };
  await receiveWaiting(deps, { orgId: user.orgId, channelId }, signal);
}

/** Has an agent wait for a decision of the user, who is asked in Slack. */
async function ask(options?: Options, chatId?: string) {
  const ref = { orgId: user.orgId, userId: user.id, chatId: chatId ?? (await createChat(user.client, agentId)) };
  const waiting = await storeWaitingCall(served.api.database, ref, options);
  await notifyAsked(served.api.database, { orgId: user.orgId, turnId: waiting.turnId });
  await deliver();
  return waiting;
}

const askQuestion = async (args: Fields = {}) =>
  ask({ defaultAnswer: '4.1', arguments: { question: 'Which release?', options: ['4.1', '<4.2> & up'], ...args } });

function posted() {
  const message = slack.messages.at(-1);
  if (message === undefined) throw new Error('nothing was posted');
  return message;
}

const use = async (label: string, by: Parameters<typeof slackInteraction>[2] = {}) =>
  send(slackInteraction(posted(), buttonsOf(posted()).get(label), by));

async function send(body: string, signature: Partial<Parameters<typeof sendAsSlack>[3]> = {}) {
  const answer = await sendAsSlack(served.url, channelId, body, { secret: SECRET, type: FORM, ...signature });
  await receive();
  await deliver();
  return answer;
}

const approval = async (id: string) => (await user.client.get<Fields>(`/api/approvals/${id}`)).json;
const blocksOf = ({ blocks = [] }: ReturnType<typeof posted>) => blocks;
const shownIn = (message: ReturnType<typeof posted>) => JSON.stringify(blocksOf(message));
const notices = () => slack.notices.map(({ text }) => text);

describe('a reminder', () => {
  const remind = async ({ approvalId, turnId }: Awaited<ReturnType<typeof ask>>) => {
    await query('update approvals set remind_at = now() where id = $1', [approvalId]);
    await notifyAsked(served.api.database, { orgId: user.orgId, turnId });
  };
  const sentBy = (message: ReturnType<typeof posted>) =>
    slack.server.seen
      .filter(({ url }) => url.endsWith('chat.postMessage'))
      .map(({ body }) => JSON.parse(body) as Fields)
      .find(({ text }) => text === message.texts[0]);

  test('answers the message with the buttons, once, also in the direct message itself', async () => {
    const waiting = await askQuestion();
    const first = posted();
    await remind(waiting);
    await deliver();
    await deliver();
    expect(slack.messages).toHaveLength(2);
    expect(posted()).toMatchObject({ channel: 'DU1', thread: first.ts, blocks: undefined });
    expect(sentBy(posted())).toMatchObject({ reply_broadcast: true, unfurl_links: false, unfurl_media: false });
    expect(posted().texts[0]).toMatch(
      /^Reminder: Lead &amp; Co asks you a question: Which release\?\nYou can decide until/,
    );
    expect(await send(slackInteraction(first, buttonsOf(first).get('4.1')))).toMatchObject({ status: 200 });
    expect(await approval(waiting.approvalId)).toMatchObject({ status: 'answered' });
    const { json: audited } = await user.client.get<Fields[]>('/api/audit?record_type=approvals');
    const actions = ['approvals.decide', 'approvals.message', 'approvals.message', 'approvals.remind'];
    expect(audited.map(({ action }) => String(action)).toSorted()).toEqual(actions);
  });

  test('comes in the thread in which somebody talks with the agent', async () => {
    const text = { text: 'Release it', type: 'message', channel_type: 'im', channel: 'D1', thread_ts: '17.01' };
    await sendAsSlack(served.url, channelId, slackEvent(text), { secret: SECRET });
    await receive();
    const { json: chats } = await user.client.get<{ id: string }[]>('/api/chats');
    await remind(await ask(undefined, chats[0]?.id));
    await deliver();
    expect(posted()).toMatchObject({ channel: 'D1', thread: '17.01', texts: [expect.stringMatching(/^Reminder: /)] });
    expect(sentBy(posted())).not.toHaveProperty('reply_broadcast');
  });

  test('is not sent once it is decided, nor to whom the channel does not recognize any more', async () => {
    const [decided, lost] = [await ask(), await ask()];
    const [first] = slack.messages;
    await remind(decided);
    await remind(lost);
    slack.users.clear();
    await user.client.post(`/api/approvals/${decided.approvalId}/decision`, { approve: false });
    await deliver();
    expect([slack.messages.length, first?.texts.at(-1)]).toEqual([2, expect.stringContaining('was denied')]);
  });
});

describe('somebody who wants it', () => {
  test('is asked in a direct message, with all arguments as text, and approves by a button, once', async () => {
    const content = '<!channel> <https://evil.example|Approve> & *bold*\n```\n_out_ \u202Etxt';
    const { approvalId } = await ask({ arguments: { path: 'a.txt', content } });
    const message = posted();
    expect(message).toMatchObject({ channel: 'DU1', thread: undefined });
    expect(message.texts).toEqual(['Lead &amp; Co asks for your approval: Writing a.txt']);
    const shown = shownIn(message);
    expect(shown).toContain('&lt;!channel&gt; &lt;https://evil.example|Approve&gt; &amp; *bold*');
    expect(shown).not.toMatch(/<!|<http|&lt;.*```\\n_out_/);
    expect(shown).toContain('⟨U+202E⟩');
    expect(shown).toMatch(/Works for: .*Cost so far: .*You can decide until/);
    expect([...buttonsOf(message).keys()]).toEqual(['Approve', 'Deny', 'Open in the console']);
    expect((await use('Open in the console')).json).toEqual({ status: 'ignored' });
    const [body, deny] = ['Approve', 'Deny'].map((label) => slackInteraction(message, buttonsOf(message).get(label)));
    expect(await send(body ?? '')).toEqual({ status: 200, json: { status: 'accepted' } });
    expect(await approval(approvalId)).toMatchObject({ status: 'approved', decided_by: user.id });
    expect(posted().texts.at(-1)).toMatch(/^Lead &amp; Co asks.* It was approved by .* on /);
    expect(shownIn(posted())).not.toMatch(/evil|"actions"/);
    // Slack delivers it again, and the message that somebody still sees has buttons.
    for (const again of [body, deny]) expect((await send(again ?? '')).json).toEqual({ status: 'accepted' });
    expect(await approval(approvalId)).toMatchObject({ status: 'approved' });
    expect([slack.messages.length, notices()]).toEqual([1, []]);
    const { json: entries } = await user.client.get('/api/audit?record_type=approvals');
    expect(entries).toMatchObject([
      { action: 'approvals.decide', outcome: 'success', actor_id: user.id, fields: ['channel', 'approve', 'note'] },
      { action: 'approvals.message', outcome: 'success', related_ids: [user.id, agentId] },
    ]);
  });

  test('answers a question by its options, and declines', async () => {
    const { approvalId } = await askQuestion();
    expect([...buttonsOf(posted()).keys()]).toEqual([
      '4.1',
      '<4.2> & up',
      'Decline to answer',
      'Answer in the console',
    ]);
    await use('<4.2> & up');
    expect(await approval(approvalId)).toMatchObject({ status: 'answered', answer: '<4.2> & up' });
    expect(shownIn(posted())).toContain('&lt;4.2&gt; &amp; up');
    const declined = await askQuestion();
    await use('Decline to answer');
    expect(await approval(declined.approvalId)).toMatchObject({ status: 'denied' });
  });

  test('answers in the console what no button can show whole', async () => {
    await askQuestion({ options: null });
    expect([...buttonsOf(posted()).keys()]).toEqual(['Decline to answer', 'Answer in the console']);
    await askQuestion({ options: ['4.1', 'x'.repeat(76)] });
    expect([...buttonsOf(posted()).keys()]).toEqual(['Decline to answer', 'Answer in the console']);
  });

  test('approves nothing in Slack that is not shown there whole', async () => {
    const { approvalId } = await ask({ arguments: { path: 'a.txt', content: '&'.repeat(100_000) } });
    const blocks = blocksOf(posted());
    expect([...buttonsOf(posted()).keys()]).toEqual(['Deny', 'Open in the console']);
    expect(blocks.length).toBeLessThanOrEqual(50);
    for (const { text } of blocks)
      expect(String((text as Fields | undefined)?.['text']).length).toBeLessThanOrEqual(3_000);
    expect(JSON.stringify(blocks).length).toBeLessThan(20_000);
    await use('Deny');
    expect(await approval(approvalId)).toMatchObject({ status: 'denied' });
    const args = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`argument-${at}`, 'x']));
    await ask({ arguments: args });
    expect(blocksOf(posted()).length).toBeLessThanOrEqual(50);
    expect(buttonsOf(posted()).has('Approve')).toBe(false);
  });

  test('is asked once, though Slack fails, and not at all when it was decided in the meantime', async () => {
    slack.faults.set('chat.postMessage', [tooManyRequests]);
    const { approvalId, turnId } = await ask();
    expect(slack.messages).toEqual([]);
    const retry = async () => {
      await query("update webhook_deliveries set next_attempt_at = now() where org_id = $1 and status = 'pending'");
      await query('update webhook_targets set due_at = now() where org_id = $1');
      await deliver();
    };
    await retry();
    await notifyAsked(served.api.database, { orgId: user.orgId, turnId });
    await retry();
    expect(slack.messages).toHaveLength(1);
    await user.client.post(`/api/approvals/${approvalId}/decision`, { approve: false });
    slack.faults.set('chat.postMessage', [tooManyRequests]);
    const other = await ask();
    await user.client.post(`/api/approvals/${other.approvalId}/decision`, { approve: false });
    await retry();
    expect(slack.messages).toHaveLength(1);
  });
});

describe('somebody to whom it is escalated', () => {
  test('is asked in Slack, though the chat is private, and approves by a button', async () => {
    const grace = await registerColleague(served.api, user, 'admin');
    introduce('U2', grace);
    await grace.client.patch('/api/users/me', { slack_notifications: true });
    await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_escalation_minutes: 30 });
    const { approvalId, turnId } = await ask();
    await query('update approvals set escalate_at = now() where org_id = $1');
    await notifyAsked(served.api.database, { orgId: user.orgId, turnId });
    await deliver();
    expect(slack.messages.map(({ channel }) => channel)).toEqual(['DU1', 'DU2']);
    expect(posted().texts).toEqual(['Escalated: Lead &amp; Co asks for your approval: Writing a.txt']);
    expect(shownIn(posted())).toMatch(/It was escalated on .*: nobody had decided/);
    await use('Approve', { user: 'U2' });
    expect(await approval(approvalId)).toMatchObject({ status: 'approved', decided_by: grace.id });
    for (const { texts } of slack.messages) expect(texts.at(-1)).toMatch(/It was approved by /);
  });
});

describe('several who have to approve', () => {
  test('see in their messages who has, and approve once each', async () => {
    const grace = await registerColleague(served.api, user, 'admin');
    introduce('U2', grace);
    await grace.client.patch('/api/users/me', { slack_notifications: true });
    await user.client.patch('/api/users/me', { full_name: 'Ada' });
    await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_quorum: 2 });
    const { json: project } = await user.client.post<{ id: string }>('/api/projects', { name: 'Shared' });
    const chatId = await createChat(user.client, agentId);
    await query('update chats set project_id = $2 where id = $1', [chatId, project.id]);
    const { approvalId } = await ask({}, chatId);
    const of = (person: string) => {
      const message = slack.messages.find(({ channel }) => channel === person);
      if (message === undefined) throw new Error(`${person} is asked`);
      return message;
    };
    expect(shownIn(of('DU1'))).toContain('0 of 2 approved.');
    const [approve, again] = ['Approve', 'Approve'].map((label) =>
      slackInteraction(of('DU1'), buttonsOf(of('DU1')).get(label)),
    );
    await send(approve ?? '');
    expect(await approval(approvalId)).toMatchObject({ status: 'pending' });
    for (const person of ['DU1', 'DU2']) expect(shownIn(of(person))).toContain('1 of 2 approved (Ada).');
    expect([...buttonsOf(of('DU1')).keys()]).toEqual(['Deny', 'Open in the console']);
    await send(again ?? '');
    expect(await approval(approvalId)).toMatchObject({ status: 'pending' });
    await send(slackInteraction(of('DU2'), buttonsOf(of('DU2')).get('Approve'), { user: 'U2' }));
    expect(await approval(approvalId)).toMatchObject({ status: 'approved', decided_by: grace.id });
    for (const person of ['DU1', 'DU2']) expect(of(person).texts.at(-1)).toMatch(/It was approved by Ada and .* on /);
    expect(slack.messages).toHaveLength(2);
  });

  test('see it too when it happens while a message is updated', async () => {
    const { approvalId } = await ask();
    const [target] = await query<{ id: string }>('select id from webhook_targets where org_id = $1');
    const ref = { approvalId, targetId: target?.id ?? '' };
    await updateMessage(served.api.database, user.orgId, ref);
    slack.faults.set('chat.update', [
      (response) => void updateMessage(served.api.database, user.orgId, ref).then(() => response.end('{"ok":true}')),
    ]);
    await deliver();
    expect(posted().texts).toHaveLength(2);
  });
});

describe('who is not asked in Slack', () => {
  test('does not want it, is not known there, or uses another address', async () => {
    await user.client.patch('/api/users/me', { slack_notifications: false });
    await ask();
    await user.client.patch('/api/users/me', { slack_notifications: true });
    slack.users.clear();
    await ask();
    introduce('U1', user, { team_id: 'T2' });
    await ask();
    introduce('U1', user, { is_email_confirmed: false });
    await ask();
    expect(slack.messages).toEqual([]);
  });

  test('has a channel that is off, or whose integration was changed', async () => {
    await user.client.patch(`/api/integrations/${integrationId}`, { credentials: { token: 'xoxb-another' } });
    await ask();
    const channel = (await user.client.get<Fields>(`/api/channels/${channelId}`)).json;
    expect([slack.messages, channel['error']]).toEqual([[], expect.stringContaining('integration')]);
    await user.client.patch(`/api/channels/${channelId}`, { integration_id: integrationId, is_active: false });
    await ask();
    expect(slack.messages).toEqual([]);
  });
});

describe('a message', () => {
  const decided = () => posted().texts.at(-1);

  test('says what was decided in the console, though Slack fails at first', async () => {
    const { approvalId } = await ask();
    slack.faults.set('chat.update', [json({ ok: false, error: 'internal_error' })]);
    await user.client.post(`/api/approvals/${approvalId}/decision`, { approve: false, note: 'not today' });
    await deliver();
    expect(posted().texts).toHaveLength(1);
    await query('update webhook_deliveries set next_attempt_at = now() where org_id = $1');
    await query('update webhook_targets set due_at = now() where org_id = $1');
    await deliver();
    expect(decided()).toMatch(/It was denied by /);
    expect(buttonsOf(posted()).size).toBe(0);
  });

  test('says that it has expired, or that its work was stopped', async () => {
    const question = await askQuestion();
    await query('update approvals set expires_at = now() where org_id = $1');
    await expireApprovals(served.api.database, { orgId: user.orgId, turnId: question.turnId });
    await deliver();
    expect(decided()).toMatch(/Nobody decided in time/);
    expect(shownIn(posted())).toContain('4.1');
    await ask();
    await query(
      "update approvals set status = 'cancelled', decided_at = now() where org_id = $1 and status = 'pending'",
    );
    await deliver();
    expect(decided()).toMatch(/no longer needed/);
  });

  test('shows nothing any more to who has left', async () => {
    const { approvalId } = await ask();
    await query('delete from memberships where user_id = $1', [user.id]);
    await query("update approvals set status = 'cancelled' where id = $1", [approvalId]);
    await deliver();
    expect(decided()).toBe('This is no longer waiting for you.');
    expect(shownIn(posted())).not.toContain('a.txt');
  });

  test('is written by other credentials of the same workspace, and by none of another', async () => {
    for (const [team, texts] of [
      [TEAM, 2],
      ['T2', 1],
    ] as const) {
      await user.client.patch(`/api/channels/${channelId}`, { integration_id: integrationId });
      const { approvalId } = await ask();
      slack.team = team;
      await user.client.patch(`/api/integrations/${integrationId}`, { credentials: { token: `xoxb-of-${team}` } });
      await user.client.post(`/api/approvals/${approvalId}/decision`, { approve: true });
      await deliver();
      expect([team, posted().texts.length]).toEqual([team, texts]);
    }
  });

  test('is in the thread in which the chat lives, whatever its user has set', async () => {
    await user.client.patch('/api/users/me', { slack_notifications: false });
    for (const [channel, type, expected] of [
      ['D7', 'im', { channel: 'D7', thread: '17.01' }],
      ['C7', 'channel', { channel: 'DU1', thread: undefined }],
    ] as const) {
      const event = { text: '<@UBOT> Hello', channel, channel_type: type, ts: '17.02', thread_ts: '17.01' };
      await sendAsSlack(served.url, channelId, slackEvent(event), { secret: SECRET });
      await receive();
      const [chat] = await query<{ chat_id: string }>(
        'select chat_id from channel_threads where org_id = $1 and channel = $2',
        [user.orgId, channel],
      );
      await ask({}, chat?.chat_id);
      expect(posted()).toMatchObject(expected);
      expect(buttonsOf(posted()).has('Approve')).toBe(true);
    }
  });
});

describe('a button', () => {
  test('is refused with a wrong or old signature, at another channel and with a body that is no payload', async () => {
    const { approvalId } = await ask();
    const body = slackInteraction(posted(), buttonsOf(posted()).get('Approve'));
    const old = Math.floor(Date.now() / 1_000) - 400;
    expect((await send(body, { secret: 'another secret' })).status).toBe(404);
    expect((await send(body, { time: old })).status).toBe(404);
    const other = await sendAsSlack(served.url, approvalId, body, { secret: SECRET, type: FORM });
    expect(other.status).toBe(404);
    expect((await send('payload=%7B')).status).toBe(422);
    expect((await send('x=1')).status).toBe(422);
    expect((await send('payload=null')).json).toEqual({ status: 'ignored' });
    expect((await send(`payload=${encodeURIComponent('['.repeat(100_000))}`)).status).toBe(422);
    expect((await send(`payload=${'x'.repeat(3_000_000)}`)).status).toBe(413);
    expect(await approval(approvalId)).toMatchObject({ status: 'pending' });
  });

  test('of another person decides nothing, which they are notified of once', async () => {
    const grace = await registerColleague(served.api, user, 'admin');
    introduce('U2', grace);
    const { approvalId } = await ask();
    const body = slackInteraction(posted(), buttonsOf(posted()).get('Approve'), { user: 'U2' });
    for (const expected of ['accepted', 'accepted']) expect((await send(body)).json).toEqual({ status: expected });
    expect(slack.notices).toEqual([{ channel: 'DU1', user: 'U2', text: expect.stringContaining('somebody else') }]);
    // By somebody of another workspace, and where the channel has been told that it is somebody else.
    expect((await use('Approve', { team: 'T2' })).json).toEqual({ status: 'ignored' });
    await user.client.patch(`/api/channels/${channelId}`, { people: { U1: grace.id } });
    await use('Approve');
    await user.client.patch(`/api/channels/${channelId}`, { people: {}, matches_email: false });
    await use('Approve');
    expect(notices()).toHaveLength(3);
    expect(await approval(approvalId)).toMatchObject({ status: 'pending' });
  });

  test('of a message that an agent has posted as the app decides nothing', async () => {
    const { approvalId } = await ask();
    const link = { orgId: user.orgId, userId: user.id, approvalId, expiresAt: new Date(Date.now() + 3_600_000) };
    const ofMail = sealDecisionLink(new SecretBox([TEST_SECRET_KEY]), link, 'mail');
    for (const value of [approvalId, ofMail])
      expect((await send(slackInteraction(posted(), { action_id: 'approve', value }))).json).toEqual({
        status: 'ignored',
      });
    expect(await approval(approvalId)).toMatchObject({ status: 'pending' });
    // It is the message that the server has posted which decides.
    await use('Approve');
    expect(await approval(approvalId)).toMatchObject({ status: 'approved' });
  });

  test('decides with the rights of this moment, and says what is missing', async () => {
    const { approvalId } = await ask();
    await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_other_person: true });
    await use('Approve');
    expect(notices().at(-1)).toMatch(/somebody else has to approve it/);
    await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_sign_in: true });
    await use('Deny');
    expect(notices().at(-1)).toContain(
      `sign in to decide: https://everturn.example.com/o/${user.orgId}/inbox?id=${approvalId}`,
    );
    await query("update memberships set role = 'viewer', invited_email = $2 where user_id = $1", [user.id, user.email]);
    await use('Deny');
    expect(notices().at(-1)).toMatch(/may not decide/);
    expect(await query('select status from approvals where org_id = $1')).toEqual([{ status: 'pending' }]);
    const denials = async () =>
      query("select actor_id, fields from audit_log where record_id = $1 and outcome = 'denied'", [approvalId]);
    const wasDenied = { actor_id: user.id, fields: ['channel'] };
    await waitUntil('the denials', async () => (await denials()).length === 3 || undefined);
    expect(await denials()).toEqual([wasDenied, wasDenied, wasDenied]);
  });

  test('decides nothing once the channel is off, or the organization was deleted', async () => {
    const { approvalId } = await ask();
    await user.client.patch(`/api/channels/${channelId}`, { is_active: false });
    expect((await use('Approve')).json).toEqual({ status: 'ignored' });
    await user.client.patch(`/api/channels/${channelId}`, { is_active: true });
    await query('update orgs set deleted_at = now() where id = $1');
    expect((await use('Approve')).status).toBe(404);
    expect(await query('select status from approvals where id = $1', [approvalId])).toEqual([{ status: 'pending' }]);
  });

  test('of a message that was posted twice decides too, and that message says so', async () => {
    const { approvalId } = await ask();
    // As if the worker had been killed after the first was posted.
    await query('update approval_messages set conversation = null, message = null where org_id = $1');
    await query("update webhook_deliveries set status = 'pending', tries = 0 where org_id = $1");
    await query('update webhook_targets set due_at = now() where org_id = $1');
    await deliver();
    const [first, second] = slack.messages;
    await send(slackInteraction(first ?? posted(), buttonsOf(posted()).get('Approve')));
    expect(await approval(approvalId)).toMatchObject({ status: 'approved' });
    expect([first?.texts.length, second?.texts.length]).toEqual([2, 1]);
    await send(slackInteraction(second ?? posted(), buttonsOf(posted()).get('Deny')));
    expect(second?.texts.at(-1)).toMatch(/It was approved/);
  });

  test('is shown to those who sign in first only as a way to the console', async () => {
    await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_sign_in: true });
    await ask();
    expect([...buttonsOf(posted()).keys()]).toEqual(['Open in the console']);
  });
});

test('a person whom the channel names is asked without their address, and not where another is named', async () => {
  const { member } = await registerGrouped(served.api, user, ['approvals.manage', 'agents.view']);
  slack.users.clear();
  await user.client.patch(`/api/channels/${channelId}`, { people: { U7: user.id, U8: member.id } });
  await ask();
  expect(posted().channel).toBe('DU7');
  expect(slack.callsOf('users.lookupByEmail')).toBe(0);
  await use('Approve', { user: 'U8' });
  expect(notices()).toEqual([expect.stringContaining('somebody else')]);
  await use('Approve', { user: 'U7' });
  expect(await query('select status from approvals where org_id = $1')).toEqual([{ status: 'approved' }]);
  slack.faults.set('auth.test', [json({ ok: false, error: 'invalid_auth' })]);
  await ask();
  expect(slack.messages).toHaveLength(1);
});
