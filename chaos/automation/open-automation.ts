import type { ApiClient } from '../../test/support/api-client.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';
import { invite, newEmail } from '../../test/support/invitations.ts';
import type { Outside } from '../installation/outside.ts';
import { FIRST_MODEL, REMOTE_AGENT, SECOND_MODEL } from '../messages/script-writer.ts';
import type { QuestionPlan, SchedulePlan } from './plan-automation.ts';

/** The organization that automates: its workflows, and who decides in it. */
export interface Automation {
  readonly apiUrl: string;
  readonly orgId: string;
  readonly token: string;
  /** The workflow with a webhook, and with what its requests are signed. */
  readonly callsId: string;
  readonly secret: string;
  /** The workflow with steps. */
  readonly reviewsId: string;
  /** The workflow whose agent asks people, and whose calls wait for them. */
  readonly questionsId: string;
  /** The channel by which they are asked. */
  readonly channelId: string;
  /** Who is asked. */
  readonly people: Readonly<Record<QuestionPlan['asks'], Person>>;
  /** The ids of the schedules, by the names of their plans. */
  readonly scheduleIds: ReadonlyMap<string, string>;
  /** The start of the first minute of the schedules, in milliseconds since the epoch. */
  readonly firstSlot: number;
}

/** Somebody who may be asked, and who they are in Slack. */
export interface Person extends Pick<TestUser, 'id' | 'email'> {
  readonly token: string;
  readonly slackId: string;
}

/** Signs what is sent to the webhook, and what the platform tells. */
export const AUTOMATION_SECRET = 'the secret of automation';
/** The name of the step that waits for a person. */
export const REVIEW_STEP = 'review';
const MAILBOX = { name: 'The mailbox', kind: 'email', config: { to: ['ada@example.com'] } };
const CHANNEL = { name: 'The channel', kind: 'slack', config: { channel: 'C024BE91L' } };
/** When the first slots are, in milliseconds from now: none passes while they are added. */
const LEAD_MS = 10_000;

/** Sets up the organization. Its schedules begin at once, each at its second of the minute. */
export async function openAutomation(
  apiUrl: string,
  { modelUrl, webhookUrl, mailUrl, slackUrl, remoteCardUrl }: Outside,
  schedules: readonly SchedulePlan[],
): Promise<Automation> {
  const owner = await registerUser(apiUrl);
  const { client, orgId, accessToken: token } = owner;
  await createProvider(client, modelUrl, { cooldown_seconds: 1, model_name: FIRST_MODEL, name: 'First' });
  const second = { provider_type: 'vllm', model_name: SECOND_MODEL, name: 'Second' };
  await createProvider(client, modelUrl, { cooldown_seconds: 1, ...second });
  const agent = { name: 'Clerk', tools: ['agent_spawn'], requires_approval: { agent_spawn: 'never' } };
  const agentId = await createAgent(client, agent);
  await add(client, '/api/integrations', { kind: 'a2a', name: REMOTE_AGENT, base_url: remoteCardUrl });
  const mail = { base_url: mailUrl, settings: { from: 'agents@example.org', tls: 'off' } };
  const chat = { base_url: slackUrl, credentials: { token: 'xoxb-of-the-chaos-run' } };
  const [mailId, chatId] = await Promise.all([
    add(client, '/api/integrations', { kind: 'smtp', name: 'The mailbox', ...mail }),
    add(client, '/api/integrations', { kind: 'slack', name: 'The chat', ...chat }),
  ]);
  const destinations = await Promise.all([
    add(client, '/api/destinations', { ...MAILBOX, integration_id: mailId }),
    add(client, '/api/destinations', { ...CHANNEL, integration_id: chatId }),
  ]);
  const people = await inviteColleague(owner, apiUrl);
  const channelId = await add(client, '/api/channels', {
    name: 'The channel',
    kind: 'slack',
    agent_id: agentId,
    integration_id: chatId,
    secret: AUTOMATION_SECRET,
    people: Object.fromEntries(Object.values(people).map(({ id, slackId }) => [slackId, id])),
  });
  const deliveries = destinations.map((id) => ({ destination_id: id, when: 'always' }));
  const notify = (name: string) => ({
    notify_url: `${webhookUrl}/${name}`,
    notify_secret: AUTOMATION_SECRET,
    deliveries,
  });
  const callsId = await add(client, '/api/workflows', {
    name: 'Calls',
    agent_id: agentId,
    trigger_type: 'webhook',
    prompt_template: '{{ content }}',
    webhook_secret: AUTOMATION_SECRET,
    ...notify('calls'),
  });
  await add(client, `/api/workflows/${callsId}/activate`, {});
  const reviewsId = await add(client, '/api/workflows', {
    name: 'Reviews',
    agent_id: agentId,
    steps: [
      { name: 'draft', prompt_template: '{{ draft }}' },
      { name: REVIEW_STEP, prompt_template: '{{ review }}', approval: true },
      { name: 'end', prompt_template: '{{ end }}' },
    ],
    ...notify('reviews'),
  });
  const asker = { name: 'Asker', tools: ['ask_person', 'http_request'] };
  const questionsId = await add(client, '/api/workflows', {
    name: 'Questions',
    agent_id: await createAgent(client, asker),
    prompt_template: '{{ content }}',
    ...notify('questions'),
  });
  // Slots are whole seconds.
  const firstSlot = Math.ceil((Date.now() + LEAD_MS) / 1_000) * 1_000;
  const ids = await Promise.all(
    schedules.map(async ({ name, overlap, second: atSecond, turn }) =>
      add(client, '/api/schedules', {
        name,
        agent_id: agentId,
        prompt: turn.content,
        interval_minutes: 1,
        start_at: new Date(firstSlot + atSecond * 1_000).toISOString(),
        overlap,
        ...notify(name.replace(' ', '-')),
      }),
    ),
  );
  const scheduleIds = new Map(schedules.map(({ name }, at) => [name, ids[at] ?? '']));
  const workflows = { callsId, secret: AUTOMATION_SECRET, reviewsId, questionsId };
  return { apiUrl, orgId, token, ...workflows, channelId, people, scheduleIds, firstSlot };
}

/** Adds a member by their address; they and the owner want to be asked by mail and in Slack. */
async function inviteColleague(owner: TestUser, apiUrl: string): Promise<Automation['people']> {
  const email = newEmail();
  const { token } = await invite(owner, { email });
  const colleague = { ...(await registerUser(apiUrl, { email, invite_token: token })), email };
  const notified = { mail_notifications: true, slack_notifications: true };
  await Promise.all([owner, colleague].map(async ({ client }) => client.patch('/api/users/me', notified)));
  const person = ({ id, email, accessToken }: TestUser, slackId: string) => ({
    id,
    email,
    token: accessToken,
    slackId,
  });
  return { owner: person(owner, 'U1'), colleague: person(colleague, 'U2') };
}

async function add(client: ApiClient, path: string, body: object): Promise<string> {
  const { status, json } = await client.post<{ id: string }>(path, body);
  if (status !== 200 && status !== 201) throw new Error(`POST ${path} answered ${status}: ${JSON.stringify(json)}`);
  return json.id;
}
