import { createHash } from 'node:crypto';
import { z } from 'zod';
import { actionsWith, defineServiceTool, pathOf } from '../services/service-tool.ts';
import { pickFields } from '../services/read-answer.ts';

const LISTED = 50;
const MAX_LISTED = 100;
const MAX_TEXT = 2_000;
const MAX_EMBEDS = 10;
/** Of a thread in a channel that everybody there sees. */
const PUBLIC_THREAD = 11;
const NONCE_CHARACTERS = 24;
const snowflake = z.string().regex(/^\d{1,20}$/);

const parameters = z.strictObject({
  guild_id: snowflake.optional().describe('Id of the server.'),
  channel_id: snowflake.optional().describe('Id of the channel or thread.'),
  message_id: snowflake
    .optional()
    .describe('In create_thread: the message that it begins with. In post: that it answers.'),
  content: z.string().min(1).max(MAX_TEXT).optional().describe('Markdown, up to 2,000 characters.'),
  embeds: z
    .array(z.record(z.string(), z.unknown()))
    .max(MAX_EMBEDS)
    .optional()
    .describe('Rich content below the text.'),
  name: z.string().min(1).max(100).optional().describe('In create_thread.'),
  emoji: z.string().min(1).max(100).optional().describe('In react: the character, or `name:id` of one of the server.'),
  limit: z.int().min(1).max(MAX_LISTED).optional().describe(`In lists; ${LISTED} when left out.`),
  before: snowflake.optional().describe('In history: the `next` of a former page.'),
});

const { keyed, once, read } = actionsWith<z.output<typeof parameters>>();
const MESSAGE = 'id timestamp author.username author.bot content embeds attachments.filename';
/** A text of a model pings the people that it names, and never all of them. */
const MENTIONS = { parse: ['users'] };

const ACTIONS = {
  list_guilds: read([], async (_args, { service }) => ({
    guilds: await service.pick({ path: '/users/@me/guilds' }, 'id name'),
  })),
  list_channels: read(['guild_id'], async ({ guild_id: id }, { service }) => ({
    channels: await service.pick({ path: pathOf`/guilds/${id}/channels` }, 'id name type topic parent_id'),
  })),
  history: read(['channel_id'], async ({ channel_id: id, limit = LISTED, before }, { service }) => {
    const path = pathOf`/channels/${id}/messages`;
    const found = await service.read({ path, query: { limit, before } }, z.array(z.looseObject({ id: snowflake })));
    return { messages: pickFields(found, MESSAGE), next: found.length < limit ? undefined : found.at(-1)?.id };
  }),
  post: keyed(
    ['channel_id', 'content'],
    async ({ channel_id: id, content, embeds, message_id: answered }, { service, context }) => {
      const json = {
        content,
        embeds,
        allowed_mentions: MENTIONS,
        message_reference: answered === undefined ? undefined : { message_id: answered },
        nonce: nonceOf(context.idempotencyKey),
        enforce_nonce: true,
      };
      const path = pathOf`/channels/${id}/messages`;
      return service.pick({ method: 'POST', path, json }, 'id channel_id');
    },
  ),
  create_thread: once(['channel_id', 'name'], async ({ channel_id: id, message_id: begin, name }, { service }) => {
    const path =
      begin === undefined ? pathOf`/channels/${id}/threads` : pathOf`/channels/${id}/messages/${begin}/threads`;
    const json = begin === undefined ? { name, type: PUBLIC_THREAD } : { name };
    return service.pick({ method: 'POST', path, json }, 'id name parent_id');
  }),
  react: keyed(
    ['channel_id', 'message_id', 'emoji'],
    async ({ channel_id: channel, message_id: message, emoji }, { service }) => {
      const path = pathOf`/channels/${channel}/messages/${message}/reactions/${emoji}/@me`;
      await service.request({ method: 'PUT', path });
      return { reacted: true };
    },
  ),
  webhook: once(['content'], async ({ content, embeds }, { service }) => {
    const json = { content, embeds, allowed_mentions: MENTIONS };
    // With `wait` Discord says whether it has stored the message.
    const request = { method: 'POST', to: 'webhook_url', path: '', query: { wait: true }, json } as const;
    return service.pick(request, 'id channel_id');
  }),
};

/** Reads and writes messages in Discord. */
export const discord = defineServiceTool({
  key: 'discord',
  name: 'Discord',
  description:
    'Posts and reads messages of channels and threads in Discord, lists servers and channels, creates threads and reacts; `webhook` posts by the webhook of the integration.',
  category: 'communication',
  kinds: ['discord'],
  parameters,
  actions: ACTIONS,
});

/** Returns the nonce of a message: Discord takes 25 characters, and posts none twice within some minutes. */
export function nonceOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, NONCE_CHARACTERS);
}
