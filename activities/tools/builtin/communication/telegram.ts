import { z } from 'zod';
import type { Service, ServiceRequest } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { pickFields, readAnswer } from '../services/read-answer.ts';
import { actionsWith, defineServiceTool, encodeForm, type ServiceCall } from '../services/service-tool.ts';

/** As much as one call keeps in memory; Telegram takes 50 MB. */
const MAX_FILE = 25 * 1024 * 1024;

interface SentFile {
  readonly chat_id: string;
  /** Path in the workspace. */
  readonly file: string;
  readonly caption: string | undefined;
  readonly parse_mode: string | undefined;
}

/** Sends a file of the workspace to a chat. */
async function sendFile({ file, ...message }: SentFile, { service, readSent }: ServiceCall): Promise<unknown> {
  const name = filePath(file).at(-1) ?? '';
  return sendDocument(service, message, { name, content: await readSent(file) });
}

/** Sends the bytes of a file to a chat. */
export async function sendDocument(
  service: Service,
  { chat_id, caption, parse_mode }: Omit<SentFile, 'file'>,
  { name, content }: { readonly name: string; readonly content: Uint8Array },
): Promise<unknown> {
  const form = new FormData();
  for (const [field, value] of Object.entries({ chat_id, caption, parse_mode }))
    if (value !== undefined) form.append(field, value);
  form.append('document', new Blob([new Uint8Array(content)]), name);
  return callTelegram(service, { method: 'sendDocument', ...(await encodeForm(form)), effect: 'once' });
}

const MAX_TEXT = 4_096;
const LISTED = 50;
const MAX_LISTED = 100;

const parameters = z.strictObject({
  chat_id: z
    .string()
    .regex(/^(?:-?\d{1,20}|@[A-Za-z]\w{3,31})$/)
    .optional()
    .describe('Id of the chat, or `@name` of a public channel.'),
  message_id: z.int().min(1).optional().describe('Id of the message. In send: the one that is answered.'),
  text: z.string().min(1).max(MAX_TEXT).optional().describe('Up to 4,096 characters; in send_file up to 1,024.'),
  parse_mode: z.enum(['HTML', 'MarkdownV2']).optional().describe('How the text is marked up; plain when left out.'),
  file: z.string().min(1).max(1_024).optional().describe('In send_file: path in the workspace.'),
  offset: z
    .int()
    .min(0)
    .optional()
    .describe('In get_updates: the `next` of a former call. Telegram forgets those before it.'),
  limit: z.int().min(1).max(MAX_LISTED).optional().describe(`In get_updates; ${LISTED} when left out.`),
});

const { keyed, once } = actionsWith<z.output<typeof parameters>>();
const SENT = 'message_id date chat.id';
const MESSAGE =
  'message_id date text caption from.id from.username from.first_name from.is_bot chat.id chat.type chat.title document.file_name reply_to_message.message_id';
/** The kinds of updates that bring messages. */
const KINDS = ['message', 'edited_message', 'channel_post'];
const UPDATE = `update_id ${KINDS.map((kind) => MESSAGE.replaceAll(/\S+/g, `${kind}.$&`)).join(' ')}`;

const ACTIONS = {
  send: once(['chat_id', 'text'], async ({ chat_id, text, parse_mode, message_id: answered }, { service }) => {
    const json = {
      chat_id,
      text,
      parse_mode,
      reply_parameters: answered === undefined ? undefined : { message_id: answered },
    };
    return pickFields(await callTelegram(service, { method: 'sendMessage', json, effect: 'once' }), SENT);
  }),
  send_file: once(
    ['chat_id', 'file'],
    { sends: { path: ({ file }) => file, maxBytes: MAX_FILE } },
    async ({ chat_id, file, text: caption, parse_mode }, call) =>
      pickFields(await sendFile({ chat_id, file, caption, parse_mode }, call), SENT),
  ),
  edit: keyed(['chat_id', 'message_id', 'text'], async ({ chat_id, message_id, text, parse_mode }, { service }) => {
    const json = { chat_id, message_id, text, parse_mode };
    const accepts = 'message is not modified';
    await callTelegram(service, { method: 'editMessageText', json, effect: 'keyed', accepts });
    return { message_id, edited: true };
  }),
  delete: once(['chat_id', 'message_id'], async ({ chat_id, message_id }, { service }) => {
    await callTelegram(service, { method: 'deleteMessage', json: { chat_id, message_id }, effect: 'once' });
    return { message_id, deleted: true };
  }),
  // The same offset gives the same updates again, until a call has a later one.
  get_updates: keyed([], { approval: 'never' }, async ({ offset, limit = LISTED }, { service }) => {
    const json = { offset, limit, timeout: 0, allowed_updates: KINDS };
    const updates = pickFields(await callTelegram(service, { method: 'getUpdates', json, effect: 'keyed' }), UPDATE);
    return { updates, next: nextOf(updates) };
  }),
};

const REFUSED = 400;
const answerSchema = z.object({ result: z.unknown().optional(), description: z.string().max(1_000).optional() });

/** Sends messages of a bot in Telegram, and reads what the bot is sent. */
export const telegram = defineServiceTool({
  key: 'telegram',
  name: 'Telegram',
  description:
    'Sends, changes and deletes messages of a Telegram bot, sends files of the workspace, and reads what was written to the bot.',
  category: 'communication',
  kinds: ['telegram'],
  parameters,
  actions: ACTIONS,
});

function nextOf(updates: unknown): number | undefined {
  const last = z
    .array(z.object({ update_id: z.int() }))
    .safeParse(updates)
    .data?.at(-1);
  return last && last.update_id + 1;
}

interface TelegramCall extends Pick<ServiceRequest, 'json' | 'body' | 'headers' | 'effect'> {
  readonly method: string;
  /** A refusal which means that everything is already as requested. */
  readonly accepts?: string;
}

/**
 * Calls a method of Telegram's Bot API and returns its result; undefined where everything is as it was wanted already.
 * Throws `ToolFailure` with its words when it refuses.
 */
export async function callTelegram(service: Service, call: TelegramCall): Promise<unknown> {
  const { method, accepts, ...request } = call;
  const answer = await service.request({ ...request, method: 'POST', path: `/${method}`, accepts: [REFUSED] });
  const { result, description = 'it says no reason' } = readAnswer(answer, answerSchema);
  if (answer.status !== REFUSED || (accepts !== undefined && description.includes(accepts))) return result;
  throw new ToolFailure('invalid_input', `Telegram answers with the status ${REFUSED}: ${description}`, {
    isForeign: true,
  });
}
