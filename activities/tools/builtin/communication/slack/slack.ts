import { z } from 'zod';
import { cursorParameter } from '../../services/cursor-parameter.ts';
import { pickFields } from '../../services/pick-fields.ts';
import { actionsWith, defineServiceTool, type ServiceCall } from '../../services/service-tool.ts';
import { callSlack, nextOf, type SlackAnswer } from './call-slack.ts';
import { MAX_FILE, uploadFile } from './upload-file.ts';

const LISTED = 50;
const MAX_LISTED = 200;
const MAX_BLOCKS = 50;
const MAX_TEXT = 40_000;
const timestamp = z.string().regex(/^\d{1,12}\.\d{6}$/);

const parameters = z.strictObject({
  channel: z
    .string()
    .regex(/^[\w#@.-]{1,100}$/)
    .optional()
    .describe('Id of the channel, such as C024BE91L.'),
  text: z
    .string()
    .min(1)
    .max(MAX_TEXT)
    .optional()
    .describe("In Slack's mrkdwn; beside blocks, what notifications show."),
  blocks: z
    .array(z.record(z.string(), z.unknown()))
    .max(MAX_BLOCKS)
    .optional()
    .describe('Block Kit, in place of plain text.'),
  ts: timestamp.optional().describe('The `ts` of the message.'),
  thread_ts: timestamp.optional().describe('The `ts` of the message that the thread begins with.'),
  emoji: z
    .string()
    .regex(/^[\p{L}\p{N}_+:-]{1,100}$/u)
    .optional()
    .describe('In react: its name without colons.'),
  file: z.string().min(1).max(1_024).optional().describe('In upload: path in the workspace.'),
  limit: z.int().min(1).max(MAX_LISTED).optional().describe(`In lists; ${LISTED} when left out.`),
  cursor: cursorParameter,
});

type Arguments = z.output<typeof parameters>;
const action = actionsWith<Arguments>();
const MESSAGE = [
  'type',
  'subtype',
  'ts',
  'thread_ts',
  'user',
  'bot_id',
  'text',
  'reply_count',
  'reactions',
  'files.name',
];

const ACTIONS = {
  post: action({
    needs: ['channel', 'text'],
    effect: 'once',
    run: async ({ channel, text, blocks, thread_ts }, { service }) => {
      const json = { channel, text, blocks, thread_ts };
      return sent(await callSlack(service, { method: 'chat.postMessage', json, effect: 'once' }));
    },
  }),
  update: action({
    needs: ['channel', 'ts', 'text'],
    effect: 'keyed',
    run: async ({ channel, ts, text, blocks }, { service }) => {
      const json = { channel, ts, text, blocks };
      return sent(await callSlack(service, { method: 'chat.update', json, effect: 'keyed' }));
    },
  }),
  delete: action({
    needs: ['channel', 'ts'],
    effect: 'once',
    run: async ({ channel, ts }, { service }) =>
      sent(await callSlack(service, { method: 'chat.delete', json: { channel, ts }, effect: 'once' })),
  }),
  history: action({
    needs: ['channel'],
    effect: 'read',
    run: async ({ channel, ...page }, call) => messages('conversations.history', { channel }, page, call),
  }),
  thread: action({
    needs: ['channel', 'thread_ts'],
    effect: 'read',
    run: async ({ channel, thread_ts: ts, ...page }, call) =>
      messages('conversations.replies', { channel, ts }, page, call),
  }),
  list_channels: action({
    effect: 'read',
    run: async (page, { service }) => {
      const query = { exclude_archived: true, ...pageOf(page) };
      const said = await callSlack(service, { method: 'conversations.list', query, effect: 'read' });
      const fields = ['id', 'name', 'is_private', 'is_member', 'num_members', 'topic.value', 'purpose.value'];
      return { channels: pickFields(said['channels'], fields), next: nextOf(said) };
    },
  }),
  list_users: action({
    effect: 'read',
    run: async (page, { service }) => {
      const said = await callSlack(service, { method: 'users.list', query: pageOf(page), effect: 'read' });
      const fields = ['id', 'name', 'real_name', 'is_bot', 'deleted', 'tz', 'profile.title', 'profile.display_name'];
      return { users: pickFields(said['members'], fields), next: nextOf(said) };
    },
  }),
  react: action({
    needs: ['channel', 'ts', 'emoji'],
    effect: 'keyed',
    run: async ({ channel, ts, emoji }, { service }) => {
      const json = { channel, timestamp: ts, name: emoji.replaceAll(/^:|:$/g, '') };
      await callSlack(service, { method: 'reactions.add', json, effect: 'keyed', accepts: ['already_reacted'] });
      return { reacted: true };
    },
  }),
  upload: action({
    needs: ['channel', 'file'],
    effect: 'once',
    sends: { path: ({ file }) => file, maxBytes: MAX_FILE },
    run: async ({ channel, file, text, thread_ts }, call) => uploadFile({ channel, file, text, thread_ts }, call),
  }),
};

/** Reads and writes messages in Slack. */
export const slack = defineServiceTool({
  key: 'slack',
  name: 'Slack',
  description:
    'Posts, changes, deletes and reads messages and threads in Slack, lists channels and users, reacts with an emoji and shares a file of the workspace.',
  category: 'communication',
  kinds: ['slack'],
  parameters,
  actions: ACTIONS,
});

type Page = Pick<Arguments, 'limit' | 'cursor'>;

function pageOf({ limit = LISTED, cursor }: Page) {
  return { limit, cursor };
}

async function messages(
  method: string,
  where: Readonly<Record<string, string>>,
  page: Page,
  { service }: ServiceCall,
): Promise<unknown> {
  const said = await callSlack(service, { method, query: { ...where, ...pageOf(page) }, effect: 'read' });
  return { messages: pickFields(said['messages'], MESSAGE), next: nextOf(said) };
}

function sent(said: SlackAnswer): unknown {
  return pickFields(said, ['channel', 'ts']);
}
