import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ToolFailure } from '../../tool-failure.ts';
import { cursorParameter } from '../parameters.ts';
import { actionsWith, defineServiceTool, pathOf } from '../services/service-tool.ts';
import { type ActionService, pickFields } from '../services/read-answer.ts';

const LISTED = 25;
const MAX_TEXT = 28_000;

const parameters = z.strictObject({
  team_id: z.string().max(100).optional().describe('Id of the team.'),
  channel_id: z.string().max(200).optional().describe('Id of the channel, with its team_id.'),
  chat_id: z.string().max(200).optional().describe('In post and history: id of a chat, instead of a channel.'),
  message_id: z
    .string()
    .regex(/^\d{1,20}$/)
    .optional()
    .describe('In reply and replies: the message that the thread begins with.'),
  text: z
    .string()
    .min(1)
    .max(MAX_TEXT)
    .optional()
    .describe('Plain text; in webhook with the Markdown of Adaptive Cards.'),
  card: z.record(z.string(), z.unknown()).optional().describe('An Adaptive Card, instead of or in addition to text.'),
  cursor: cursorParameter,
});

type Arguments = z.output<typeof parameters>;
const { once, read } = actionsWith<Arguments>();
const MESSAGE =
  'id createdDateTime messageType subject from.user.displayName from.application.displayName body.content attachments.name webUrl';
const SENT = 'id webUrl';

const ACTIONS = {
  list_teams: read([], async ({ cursor }, { service }) => {
    const fields = 'id displayName description';
    return graphPage(service, 'teams', { path: '/teams', size: LISTED, cursor, fields });
  }),
  list_channels: read(['team_id'], async ({ team_id: id, cursor }, { service }) => {
    const fields = 'id displayName description membershipType';
    return graphPage(service, 'channels', { path: pathOf`/teams/${id}/channels`, cursor, fields });
  }),
  history: read([], async ({ cursor, ...args }, { service }) => {
    const list = { path: `${conversationPath(args)}/messages`, size: LISTED, cursor, fields: MESSAGE };
    return graphPage(service, 'messages', list);
  }),
  replies: read(['team_id', 'channel_id', 'message_id'], async ({ message_id: id, cursor, ...args }, { service }) => {
    const list = { path: `${conversationPath(args)}/messages/${id}/replies`, size: LISTED, cursor, fields: MESSAGE };
    return graphPage(service, 'replies', list);
  }),
  post: once([], async ({ text, card, ...args }, { service, context }) => {
    const json = graphMessage({ text, card }, context.idempotencyKey);
    const request = { method: 'POST', path: `${conversationPath(args)}/messages`, json } as const;
    return service.pick(request, SENT);
  }),
  reply: once(
    ['team_id', 'channel_id', 'message_id'],
    async ({ text, card, message_id: id, ...args }, { service, context }) => {
      const json = graphMessage({ text, card }, context.idempotencyKey);
      const request = { method: 'POST', path: `${conversationPath(args)}/messages/${id}/replies`, json } as const;
      return service.pick(request, SENT);
    },
  ),
  webhook: once([], async ({ text, card }, { service }) => {
    const json = webhookMessage({ text, card });
    await service.request({ method: 'POST', to: 'webhook_url', path: '', json });
    return { accepted: true };
  }),
};

const pageSchema = z.object({ value: z.array(z.unknown()), '@odata.nextLink': z.string().max(4_000).optional() });

const CARD = 'application/vnd.microsoft.card.adaptive';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\n': '<br>' };

/** Reads and writes messages in Microsoft Teams. */
export const msTeams = defineServiceTool({
  key: 'ms_teams',
  name: 'Microsoft Teams',
  description:
    'Posts to channels and chats of Microsoft Teams and reads them, replies in threads, lists teams and channels; `webhook` posts by the workflow of the integration.',
  category: 'communication',
  kinds: ['ms_teams'],
  parameters,
  actions: ACTIONS,
});

function conversationPath({ chat_id: chat, team_id: team, channel_id: channel }: Arguments): string {
  if (chat !== undefined) return pathOf`/chats/${chat}`;
  if (team !== undefined && channel !== undefined) return pathOf`/teams/${team}/channels/${channel}`;
  throw new ToolFailure('invalid_input', 'Give team_id and channel_id, or chat_id');
}

interface GraphList {
  readonly path: string;
  /** Of records of a page; that of the list unless given. */
  readonly size?: number;
  /** The `next` of a former page, which replaces the query. */
  readonly cursor: string | undefined;
  readonly fields: string;
}

/** Returns a page of a list of Microsoft Graph, under a name; the answer has the address of the next one in it. */
async function graphPage(service: ActionService, name: string, { path, size, cursor, fields }: GraphList) {
  const query = size === undefined ? {} : { $top: size };
  const where = cursor === undefined ? { path, query } : { path: `${path}?${new URLSearchParams(cursor).toString()}` };
  const page = await service.read(where, pageSchema);
  const next = page['@odata.nextLink'];
  return { [name]: pickFields(page.value, fields), next: next && URL.parse(next)?.searchParams.toString() };
}

/** The content of a message: a text, a card, or both. */
interface TeamsContent {
  readonly text?: string | undefined;
  /** An Adaptive Card. */
  readonly card?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns a message as Microsoft Graph takes it; a card is inserted where the text names its id. */
function graphMessage({ text, card }: TeamsContent, key: string): Readonly<Record<string, unknown>> {
  if (card === undefined) return { body: { contentType: 'text', content: required(text) } };
  const id = createHash('sha256').update(key).digest('hex').slice(0, 32);
  const content = `${text === undefined ? '' : `<p>${escaped(text)}</p>`}<attachment id="${id}"></attachment>`;
  return {
    body: { contentType: 'html', content },
    attachments: [{ id, contentType: CARD, content: JSON.stringify(card) }],
  };
}

/** Returns a message as the webhook of a workflow takes it: cards only, so a text becomes one. */
export function webhookMessage({ text, card }: TeamsContent): Readonly<Record<string, unknown>> {
  const content = card ?? {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ type: 'TextBlock', text: required(text), wrap: true }],
  };
  return { type: 'message', attachments: [{ contentType: CARD, contentUrl: null, content }] };
}

function required(text: string | undefined): string {
  if (text === undefined) throw new ToolFailure('invalid_input', 'Give text or card');
  return text;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>\n]/g, (character) => ENTITIES[character] ?? '');
}
