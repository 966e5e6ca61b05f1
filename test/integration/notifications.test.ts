import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import PostalMime from 'postal-mime';
import { SecretBox } from '../../db/core/secret-box.ts';
import { openDecisionLink, sealDecisionLink } from '../../db/notifications/decision-link.ts';
import { createAgent, type TestUser } from '../support/factories.ts';
import { MailServer } from '../support/mail-server.ts';
import { passTime } from '../support/pass-time.ts';
import { registerColleague } from '../support/people.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

type Fields = Record<string, unknown>;

let instance: TestInstance;
let smtp: MailServer;
let agents = 0;
let chat: OpenChat;
const opened: OpenChat[] = [];
let user: TestUser;
beforeAll(async () => {
  [instance, smtp] = await Promise.all([startTestInstance(), MailServer.start()]);
});
afterAll(async () => {
  await smtp.close();
  await instance.close();
});

/** An organization whose SMTP integration mails what waits, and a user who wants that. */
beforeEach(async () => {
  smtp.mails.length = 0;
  agents = 0;
  chat = await OpenChat.create(instance);
  user = chat.user;
  const settings = { from: 'Agents <agents@example.org>', tls: 'off' };
  const server = { kind: 'smtp', name: 'Mail', base_url: `smtp://127.0.0.1:${smtp.port}`, settings };
  await user.client.post('/api/integrations', server);
  await user.client.patch('/api/users/me', { mail_notifications: true });
});

afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

const call = (name: string, args: object) => `[[tool ${name} ${JSON.stringify(args)}]]`;

/** Says something in a chat of its own; returns its id. */
async function say(content: string, agent: Fields): Promise<string> {
  const other = await chat.another(await createAgent(user.client, { name: `Lead ${(agents += 1)}`, ...agent }));
  opened.push(other);
  const socket = await other.connect();
  socket.send({ type: 'message', content, client_message_id: 'first' });
  return other.id;
}

const ask = async (args: Fields = {}) => {
  const deadline = new Date(Date.now() + 86_400_000).toISOString();
  const question = { question: 'Which release?', default: '4.1', deadline, ...args };
  return say(`${call('ask_person', question)} [[then]] [[say done]]`, { tools: ['ask_person'] });
};

async function mailed(count = 1) {
  await waitUntil('the mail', async () => (smtp.mails.length >= count ? true : undefined));
  const last = smtp.mails[count - 1];
  const mail = await PostalMime.parse(last?.mail ?? '');
  const token = /\/decide\?token=([\w-]+)/.exec(mail.text ?? '')?.[1] ?? '';
  return { to: last?.to, mail, token };
}

const open = async (token: string) => {
  const response = await fetch(`${instance.api.url}/decide?token=${token}`);
  return { status: response.status, headers: response.headers, html: await response.text() };
};

const post = async (fields: Record<string, string>) => {
  const response = await fetch(`${instance.api.url}/decide`, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, html: await response.text() };
};

const audited = async () => (await user.client.get<Fields[]>('/api/audit?record_type=approvals')).json;

const approvals = async (query = '') => (await user.client.get<Fields[]>(`/api/approvals${query}`)).json;

test('a question is mailed once, and answered by its link without a sign-in', async () => {
  await ask({ options: ['4.1', '4.2'] });
  const { to, mail, token } = await mailed();
  const { json: me } = await user.client.get<{ email: string }>('/api/users/me');
  expect(to).toEqual([me.email]);
  expect(mail.subject).toBe('Lead 1 asks you a question: Which release?');
  expect(mail.text?.match(/Question|Which release\?/g)).toEqual(['Question', 'Which release?']);
  const page = await open(token);
  expect([page.status, page.headers.get('referrer-policy'), page.headers.get('cache-control')]).toEqual([
    200,
    'no-referrer',
    'no-store',
  ]);
  expect(page.headers.get('x-robots-tag')).toBe('noindex');
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
  expect(page.html).toContain('value="4.2"');
  // Scanners of mails follow links.
  await fetch(`${instance.api.url}/decide?token=${token}`, { method: 'HEAD' });
  expect(await approvals('?status=pending')).toHaveLength(1);
  expect((await post({ token, decision: 'approve', answer: '5.0' })).html).toContain('none of those');
  const answered = await post({ token, decision: 'approve', answer: '4.2', note: 'It is out' });
  expect(answered.html).toContain('<h1>You have decided</h1><p>It was answered');
  expect(await approvals()).toMatchObject([{ status: 'answered', answer: '4.2', note: 'It is out' }]);
  // The link again.
  const replayed = await post({ token, decision: 'approve', answer: '4.1' });
  expect(replayed.html).toContain('was answered');
  expect(await approvals()).toMatchObject([{ answer: '4.2' }]);
  const later = await open(token);
  expect([later.html.includes('<form'), later.html.includes('4.2')]).toEqual([false, true]);
  expect(await audited()).toMatchObject([
    {
      action: 'approvals.decide',
      outcome: 'success',
      actor_id: user.id,
      fields: ['token', 'approve', 'note', 'answer'],
    },
    { action: 'approvals.mail', outcome: 'success', actor_id: user.id, related_ids: [user.id, expect.any(String)] },
  ]);
  expect(smtp.mails).toHaveLength(1);
});

/** Waits until it is stored that the mails were sent: none is on its way. */
const noted = async () =>
  waitUntil('a mail to be delivered', async () => {
    const text = `select bool_and(status = 'delivered') as "isSo" from webhook_deliveries where org_id = $1`;
    const { rows } = await instance.api.database.system.query<{ isSo: boolean | null }>(text, [user.orgId]);
    return rows[0]?.isSo === true ? true : undefined;
  });

const actions = async () => (await audited()).map(({ action }) => String(action)).toSorted();

test('who has not decided is reminded once, when the time is over that the organization has set', async () => {
  await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_reminder_minutes: 60 });
  await ask();
  const first = await mailed();
  await noted();
  const [asked] = await approvals('?status=pending');
  const { requested_at: from, remind_at: at } = asked ?? {};
  expect(Date.parse(String(at)) - Date.parse(String(from))).toBe(3_600_000);
  const { database } = instance.api;
  await passTime(database, '61 minutes');
  const { to, mail, token } = await mailed(2);
  expect([to, mail.subject]).toEqual([first.to, 'Reminder: Lead 1 asks you a question: Which release?']);
  expect(await approvals('?status=pending')).toMatchObject([{ remind_at: null }]);
  await passTime(database, '61 minutes');
  expect((await post({ token, decision: 'approve', answer: '4.2' })).html).toContain('was answered');
  await waitUntil('both mails to be in the audit log', async () => (await actions()).length === 4 || undefined);
  expect(await actions()).toEqual(['approvals.decide', 'approvals.mail', 'approvals.mail', 'approvals.remind']);
  expect(smtp.mails).toHaveLength(2);
});

test('a step is reminded of too, and not once it is decided', async () => {
  await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_reminder_minutes: 60 });
  const steps = [
    { name: 'send', prompt_template: '[[say sent]]', approval: true },
    { name: 'tell', prompt_template: '[[say told]]', approval: true },
  ];
  const body = { name: 'Report', agent_id: await createAgent(user.client, { name: 'Worker' }), steps };
  const { json: workflow } = await user.client.post<{ id: string }>('/api/workflows', body);
  await user.client.post(`/api/workflows/${workflow.id}/trigger`, {});
  await noted();
  await passTime(instance.api.database, '61 minutes');
  const { mail, token } = await mailed(2);
  expect(mail.subject).toBe('Reminder: Worker asks for your approval: Step "send" of "Report"');
  expect((await post({ token, decision: 'approve' })).html).toContain('was approved');
  expect((await mailed(3)).mail.subject).toContain('Step "tell"');
  const [second] = await approvals('?status=pending');
  await user.client.post(`/api/approvals/${String(second?.['id'])}/decision`, { approve: false });
  expect((await user.client.get(`/api/approvals/${String(second?.['id'])}`)).json).toMatchObject({ remind_at: null });
  expect((await actions()).filter((action) => action === 'approvals.remind')).toHaveLength(1);
});

test('what nobody decides about is escalated once, and approved by the link of who is mailed then', async () => {
  const grace = await registerColleague(instance.api, user, 'admin');
  await grace.client.patch('/api/users/me', { mail_notifications: true });
  await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_escalation_minutes: 60 });
  const write = call('file_write', { path: 'a.txt', content: 'a' });
  await say(`${write} [[then]] [[say written]]`, {
    tools: ['file_write'],
    requires_approval: { file_write: 'always' },
  });
  await mailed();
  await noted();
  const [asked] = await approvals('?status=pending');
  const { requested_at: from, escalate_at: at } = asked ?? {};
  expect(Date.parse(String(at)) - Date.parse(String(from))).toBe(3_600_000);
  await passTime(instance.api.database, '61 minutes');
  const { to, mail, token } = await mailed(2);
  expect([to, mail.subject]).toEqual([[grace.email], 'Escalated: Lead 1 asks for your approval: Writing a.txt']);
  expect((await open(token)).html).toMatch(/It was escalated on .*: nobody had decided/);
  await passTime(instance.api.database, '61 minutes');
  expect((await post({ token, decision: 'approve' })).html).toContain('was approved');
  expect(await approvals()).toMatchObject([{ decided_by: grace.id, escalated_to: { role: 'admin' } }]);
  await waitUntil('both mails to be in the audit log', async () => (await actions()).length === 4 || undefined);
  expect(await actions()).toEqual(['approvals.decide', 'approvals.escalate', 'approvals.mail', 'approvals.mail']);
  expect(smtp.mails).toHaveLength(2);
});

test('a step is escalated too, and its run goes on', async () => {
  await user.client.patch('/api/users/me', { mail_notifications: false });
  const grace = await registerColleague(instance.api, user, 'member');
  await grace.client.patch('/api/users/me', { mail_notifications: true });
  const escalation = { approvals_escalation_minutes: 60, approvals_escalation_user_id: grace.id };
  await user.client.patch(`/api/orgs/${user.orgId}`, escalation);
  const steps = [{ name: 'send', prompt_template: '[[say sent]]', approval: true }];
  const body = { name: 'Report', agent_id: await createAgent(user.client, { name: 'Worker' }), steps };
  const { json: workflow } = await user.client.post<{ id: string }>('/api/workflows', body);
  await user.client.post(`/api/workflows/${workflow.id}/trigger`, {});
  await waitUntil('the step to wait', async () => (await approvals('?status=pending')).length || undefined);
  await passTime(instance.api.database, '61 minutes');
  const { mail, token } = await mailed();
  expect(mail.subject).toBe('Escalated: Worker asks for your approval: Step "send" of "Report"');
  expect((await post({ token, decision: 'approve' })).html).toContain('was approved');
  await waitUntil('the end of the run', async () => {
    const { json } = await user.client.get<Fields[]>(`/api/workflows/${workflow.id}/runs`);
    return json[0]?.['status'] === 'completed' || undefined;
  });
});

test('a mail that waits to be tried again holds up no later one', async () => {
  // Until the next attempt is put off, however many there are by then.
  smtp.refusals = Number.MAX_SAFE_INTEGER;
  await ask({ question: 'Which colour?' });
  const { system } = instance.api.database;
  const postpone = `update webhook_deliveries set next_attempt_at = now() + interval '1 day'
    where org_id = $1 and error is not null and status = 'pending'`;
  await waitUntil(
    'the mail to be refused',
    async () => (await system.query(postpone, [user.orgId])).rowCount || undefined,
  );
  smtp.refusals = 0;
  await ask();
  expect((await mailed()).mail.subject).toContain('Which release?');
});

test('a call is mailed with all its arguments, as text, and approved by its link', async () => {
  const path = 'a.txt';
  const content =
    '<img src=x onerror=alert(1)> <a href="https://evil.example/">Approve</a> \u202Etxt.exe\n\nLook: https://evil.example/';
  const write = call('file_write', { path, content });
  await say(`${write} [[then]] [[say written]]`, {
    tools: ['file_write'],
    requires_approval: { file_write: 'always' },
  });
  const { mail, token } = await mailed();
  expect(mail.text).toContain('\n> Look: https://evil.example/');
  for (const html of [mail.html ?? '', (await open(token)).html]) {
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(html).not.toMatch(/<img|href="https:\/\/evil/);
    expect(html).toContain('⟨U+202E⟩');
    expect(html).toMatch(/Works for[^]*Cost so far[^]*[1-9]\d* tokens/);
  }
  expect((await post({ token, decision: 'approve' })).html).toContain('was approved');
  await waitUntil('the file', async () => (await approvals())[0]?.['status'] === 'approved' || undefined);
});

test('a subject has one line, whatever the name of the agent and the question say', async () => {
  await ask({ question: 'Ship?\r\nBcc: eve@example.com\r\n\r\nbody' });
  const { mail, to } = await mailed();
  expect(mail.subject).toBe('Lead 1 asks you a question: Ship? Bcc: eve@example.com body');
  expect([to, mail.bcc]).toEqual([[expect.any(String)], undefined]);
});

test('a link is good for its person, its approval and its time, as long as they may decide', async () => {
  const grace = await registerColleague(instance.api, user, 'admin');
  await grace.client.patch('/api/users/me', { mail_notifications: true });
  await ask({ who: grace.id });
  const { token } = await mailed();
  const box = new SecretBox([TEST_SECRET_KEY]);
  const link = openDecisionLink(box, token, 'mail');
  if (link === undefined) throw new Error('the link can be opened');
  expect(link).toMatchObject({ userId: grace.id, orgId: user.orgId });
  const seal = (changes: Partial<typeof link>) => sealDecisionLink(box, { ...link, ...changes }, 'mail');
  // Made by the server for somebody who is not asked, and past its time.
  expect((await post({ token: seal({ userId: user.id }), decision: 'approve', answer: 'x' })).html).toContain(
    'asks somebody else',
  );
  expect((await open(seal({ expiresAt: new Date(0) }))).html).toContain('has expired');
  const other = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
  for (const bad of [other, 'x', '']) expect((await open(bad)).status).toBe(400);
  expect((await post({ token: other, decision: 'approve', answer: 'x' })).status).toBe(400);
  await instance.api.database.system.query('delete from memberships where user_id = $1', [grace.id]);
  expect((await post({ token, decision: 'approve', answer: 'x' })).html).toContain('You cannot decide');
  expect((await open(token)).html).not.toContain('Which release');
  await waitUntil('the denials', async () => (await audited()).length === 3 || undefined);
  expect(await audited()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: 'approvals.decide', outcome: 'denied', actor_id: grace.id, fields: ['token'] }),
      expect.objectContaining({ action: 'approvals.decide', outcome: 'denied', actor_id: user.id, fields: ['token'] }),
    ]),
  );
});

test('where another person has to approve, those are mailed who read the chat, and the user cannot approve by a link', async () => {
  const reader = await registerColleague(instance.api, user, 'member');
  await reader.client.patch('/api/users/me', { mail_notifications: true });
  await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_other_person: true });
  const { json: project } = await user.client.post<{ id: string }>('/api/projects', { name: 'Shared' });
  const { system } = instance.api.database;
  const agent = { name: 'Writer', tools: ['file_write'], requires_approval: { file_write: 'always' } };
  const shared = await chat.another(await createAgent(user.client, agent));
  opened.push(shared);
  await system.query('update chats set project_id = $2 where id = $1', [shared.id, project.id]);
  const socket = await shared.connect();
  const content = `${call('file_write', { path: 'a.txt', content: 'a' })} [[then]] [[say written]]`;
  socket.send({ type: 'message', content, client_message_id: 'first' });
  const { token } = await mailed();
  const { rows } = await system.query(
    'select w.member_id from webhook_deliveries d join webhook_targets w on w.id = d.target_id where d.org_id = $1',
    [user.orgId],
  );
  expect(rows).toEqual([{ member_id: reader.id }]);
  const box = new SecretBox([TEST_SECRET_KEY]);
  const link = openDecisionLink(box, token, 'mail');
  if (link === undefined) throw new Error('the link can be opened');
  const own = sealDecisionLink(box, { ...link, userId: user.id }, 'mail');
  expect((await post({ token: own, decision: 'approve' })).html).toContain('somebody else has to approve it');
  expect((await post({ token, decision: 'approve' })).html).toContain('was approved');
  expect(await approvals()).toMatchObject([{ status: 'approved', decided_by: reader.id }]);
});

test('where two have to approve, both are mailed, only who has not is reminded, and each approves by a link', async () => {
  const grace = await registerColleague(instance.api, user, 'member');
  await grace.client.patch('/api/users/me', { mail_notifications: true, full_name: 'Grace' });
  const settings = { approvals_quorum: 2, approvals_reminder_minutes: 60 };
  await user.client.patch(`/api/orgs/${user.orgId}`, settings);
  const { json: project } = await user.client.post<{ id: string }>('/api/projects', { name: 'Shared' });
  const agent = { name: 'Writer', tools: ['file_write'], requires_approval: { file_write: 'always' } };
  const shared = await chat.another(await createAgent(user.client, agent));
  opened.push(shared);
  const { system } = instance.api.database;
  await system.query('update chats set project_id = $2 where id = $1', [shared.id, project.id]);
  const socket = await shared.connect();
  const content = `${call('file_write', { path: 'a.txt', content: 'a' })} [[then]] [[say written]]`;
  socket.send({ type: 'message', content, client_message_id: 'first' });
  const mails = [await mailed(1), await mailed(2)];
  await noted();
  const ofGrace = mails.find(({ to }) => to?.[0] === grace.email);
  expect(ofGrace?.mail.text).toContain('0 of 2 approved.');
  const voted = await post({ token: ofGrace?.token ?? '', decision: 'approve' });
  expect(voted.html).toContain('It is still waiting: 1 of 2 approved (Grace).');
  expect((await open(ofGrace?.token ?? '')).html).not.toContain('<form');
  await passTime(instance.api.database, '61 minutes');
  const reminder = await mailed(3);
  expect([reminder.to, reminder.mail.subject]).toEqual([[user.email], expect.stringMatching(/^Reminder: Writer asks/)]);
  expect(reminder.mail.text).toContain('1 of 2 approved (Grace).');
  await noted();
  expect((await post({ token: reminder.token, decision: 'approve' })).html).toMatch(/was approved by Grace and /);
  expect((await open(ofGrace?.token ?? '')).html).toContain('<h1>Already decided</h1>');
  await waitUntil('the answer', async () => {
    const { json } = await user.client.get<Fields[]>(`/api/chats/${shared.id}/messages`);
    return json.some(({ content: said }) => said === 'written') || undefined;
  });
  expect(smtp.mails).toHaveLength(3);
});

test('a step of a workflow is mailed with its prompt, and its run ends when it is denied by the link', async () => {
  const steps = [{ name: 'send', prompt_template: '[[say sent]]', approval: true }];
  const body = { name: 'Report', agent_id: await createAgent(user.client, { name: 'Worker' }), steps };
  const { json: workflow } = await user.client.post<{ id: string }>('/api/workflows', body);
  await user.client.post(`/api/workflows/${workflow.id}/trigger`, {});
  const { mail, token } = await mailed();
  expect([mail.subject, mail.text]).toEqual([
    expect.stringContaining('Worker asks for your approval'),
    expect.stringContaining('> [[say sent]]'),
  ]);
  expect((await post({ token, decision: 'deny', note: 'not today' })).html).toContain('was denied');
  const run = await waitUntil('the end of the run', async () => {
    const { json } = await user.client.get<Fields[]>(`/api/workflows/${workflow.id}/runs`);
    return json[0]?.['status'] === 'interrupted' ? json[0] : undefined;
  });
  expect(run['error']).toContain('not today');
});

test('where the organization wants a sign-in, a mail leads to the inbox and its former links decide nothing', async () => {
  await ask();
  const { token } = await mailed();
  await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_sign_in: true });
  expect((await post({ token, decision: 'approve', answer: 'x' })).html).toContain('wants you to sign in');
  expect(await approvals('?status=pending')).toHaveLength(1);
  await ask();
  const { mail } = await mailed(2);
  expect(mail.text).toContain(`/o/${user.orgId}/inbox?id=`);
  expect(mail.text).not.toContain('/decide');
});

test('of those who are asked only they are mailed who want it', async () => {
  const grace = await registerColleague(instance.api, user, 'admin');
  const silent = await registerColleague(instance.api, user, 'admin');
  await registerColleague(instance.api, user, 'member');
  await grace.client.patch('/api/users/me', { mail_notifications: true });
  await user.client.patch('/api/users/me', { mail_notifications: false });
  expect((await silent.client.get<Fields>('/api/users/me')).json).toMatchObject({ mail_notifications: false });
  await ask({ who: 'role:admin' });
  await mailed();
  const { rows } = await instance.api.database.system.query(
    'select w.member_id from webhook_deliveries d join webhook_targets w on w.id = d.target_id where d.org_id = $1',
    [user.orgId],
  );
  expect(rows).toEqual([{ member_id: grace.id }]);
});

test('no mail goes to the server of a member, who could decide by its link', async () => {
  const host = await registerColleague(instance.api, user, 'admin');
  const [server] = (await user.client.get<{ id: string; base_url: string; settings: Fields }[]>('/api/integrations'))
    .json;
  await user.client.delete(`/api/integrations/${server?.id}`);
  const own = { kind: 'smtp', name: 'Own', base_url: server?.base_url, settings: server?.settings };
  expect((await host.client.post('/api/integrations', own)).status).toBe(201);
  smtp.refusals = 1;
  await ask();
  const delivery = await refused();
  await user.client.patch(`/api/orgs/${user.orgId}/members/${host.id}`, { role: 'member' });
  await attemptAgain(delivery);
  await waitUntil('the mail to fail', async () => {
    const { error } = await readDelivery(delivery);
    return String(error).includes('administrator') || undefined;
  });
  expect(smtp.mails).toEqual([]);
});

test('nothing is mailed of what waits no longer', async () => {
  smtp.refusals = 1;
  await ask();
  const delivery = await refused();
  await user.client.post(`/api/approvals/${delivery.approvalId}/decision`, { approve: true, answer: '4.2' });
  await attemptAgain(delivery);
  const ended = await waitUntil('the next attempt', async () => {
    const found = await readDelivery(delivery);
    return found['status'] === 'delivered' ? found : undefined;
  });
  expect([ended, smtp.mails]).toEqual([{ status: 'delivered', error: 'Not sent: nothing waits for this person' }, []]);
});

interface RefusedMail {
  readonly id: string;
  readonly targetId: string;
  readonly approvalId: string;
}

/** Waits until the mail of the organization was refused. */
async function refused(): Promise<RefusedMail> {
  const text = `select id, target_id as "targetId", approval_id as "approvalId" from webhook_deliveries
    where org_id = $1 and status = 'pending' and error is not null`;
  return waitUntil('an attempt that was refused', async () => {
    const { rows } = await instance.api.database.system.query<RefusedMail>(text, [user.orgId]);
    return rows[0];
  });
}

async function attemptAgain({ id, targetId }: RefusedMail): Promise<void> {
  const { database } = instance.api;
  await database.system.query('update webhook_deliveries set next_attempt_at = now() where id = $1', [id]);
  await database.system.query('update webhook_targets set version = version + 1 where id = $1', [targetId]);
  await database.follow([{ dueWork: [{ kind: 'webhook', orgId: user.orgId, targetId }] }]);
}

async function readDelivery({ id }: RefusedMail): Promise<Fields> {
  const { rows } = await instance.api.database.system.query<Fields>(
    'select status, error from webhook_deliveries where id = $1',
    [id],
  );
  return rows[0] ?? {};
}
