import { z } from 'zod';
import type { Service } from '../../context.ts';
import { sendRequest } from '../../requests/send-request.ts';
import { ToolFailure, type ToolFailureClass } from '../../tool-failure.ts';
import type { RunEffect } from '../../tool.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { cursorParameter } from '../parameters.ts';
import { pickFields, readAnswer } from '../services/read-answer.ts';
import { actionsWith, defineServiceTool, type ServiceCall } from '../services/service-tool.ts';

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
    .describe('Block Kit, instead of plain text.'),
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
const { keyed, once, read } = actionsWith<Arguments>();
const MESSAGE = 'type subtype ts thread_ts user bot_id text reply_count reactions files.name';

/** As much as one call keeps in memory; Slack takes more. */
const MAX_FILE = 25 * 1024 * 1024;

const ACTIONS = {
  post: once(['channel', 'text'], async ({ channel, text, blocks, thread_ts }, { service }) => {
    const json = { channel, text, blocks, thread_ts };
    return sent(await callSlack(service, { method: 'chat.postMessage', json, effect: 'once' }));
  }),
  update: keyed(['channel', 'ts', 'text'], async ({ channel, ts, text, blocks }, { service }) => {
    const json = { channel, ts, text, blocks };
    return sent(await callSlack(service, { method: 'chat.update', json, effect: 'keyed' }));
  }),
  delete: once(['channel', 'ts'], async ({ channel, ts }, { service }) =>
    sent(await callSlack(service, { method: 'chat.delete', json: { channel, ts }, effect: 'once' })),
  ),
  history: read(['channel'], async ({ channel, ...page }, call) =>
    messages('conversations.history', { channel }, page, call),
  ),
  thread: read(['channel', 'thread_ts'], async ({ channel, thread_ts: ts, ...page }, call) =>
    messages('conversations.replies', { channel, ts }, page, call),
  ),
  list_channels: read([], async (page, { service }) => {
    const query = { exclude_archived: true, ...pageOf(page) };
    const said = await callSlack(service, { method: 'conversations.list', query, effect: 'read' });
    const fields = 'id name is_private is_member num_members topic.value purpose.value';
    return { channels: pickFields(said['channels'], fields), next: nextOf(said) };
  }),
  list_users: read([], async (page, { service }) => {
    const said = await callSlack(service, { method: 'users.list', query: pageOf(page), effect: 'read' });
    const fields = 'id name real_name is_bot deleted tz profile.title profile.display_name';
    return { users: pickFields(said['members'], fields), next: nextOf(said) };
  }),
  react: keyed(['channel', 'ts', 'emoji'], async ({ channel, ts, emoji }, { service }) => {
    const json = { channel, timestamp: ts, name: emoji.replaceAll(/^:|:$/g, '') };
    await callSlack(service, { method: 'reactions.add', json, effect: 'keyed', accepts: ['already_reacted'] });
    return { reacted: true };
  }),
  upload: once(
    ['channel', 'file'],
    { sends: { path: ({ file }) => file, maxBytes: MAX_FILE } },
    async ({ channel, file, text, thread_ts }, call) => uploadFile({ channel, file, text, thread_ts }, call),
  ),
};

const answerSchema = z.looseObject({
  ok: z.boolean(),
  error: z.string().max(200).optional(),
  needed: z.string().max(500).optional(),
  response_metadata: z
    .object({ next_cursor: z.string().max(2_000), messages: z.string().max(1_000).array() })
    .partial()
    .optional(),
});

/** The classes of Slack's errors, of which it says no status. */
const CLASSES: ReadonlyMap<string, ToolFailureClass> = new Map([
  ...list('denied', 'invalid_auth not_authed account_inactive token_revoked token_expired missing_scope no_permission'),
  ...list('denied', 'not_in_channel restricted_action cant_update_message cant_delete_message ekm_access_denied'),
  ...list('not_found', 'channel_not_found message_not_found thread_not_found user_not_found file_not_found'),
  ...list('rate_limited', 'ratelimited rate_limited'),
  ...list('upstream', 'internal_error fatal_error service_unavailable request_timeout'),
]);

/** The errors of a token that is good for nothing any more. */
const REJECTIONS: ReadonlySet<string> = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
]);

const TIMEOUT_MS = 60_000;

const uploadTargetSchema = z.object({ upload_url: z.string().max(4_000), file_id: z.string().max(100) });

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
  return pickFields(said, 'channel ts');
}

type Value = string | number | boolean;

interface SlackCall {
  readonly method: string;
  readonly effect: RunEffect;
  /** Sent as JSON, by methods that change something. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** Sent in the address, by methods that read. */
  readonly query?: Readonly<Record<string, Value | undefined>>;
  /** Errors after which everything is as it was wanted. */
  readonly accepts?: readonly string[];
}

type SlackAnswer = z.output<typeof answerSchema>;

function list(kind: ToolFailureClass, errors: string): (readonly [string, ToolFailureClass])[] {
  return errors.split(' ').map((error) => [error, kind]);
}

/** Calls a method of Slack's Web API. It refuses with the status 200; throws `ToolFailure` with its words then. */
export async function callSlack(service: Service, call: SlackCall): Promise<SlackAnswer> {
  const { method, effect, json, query, accepts = [] } = call;
  const verb = json === undefined ? 'GET' : 'POST';
  const said = readAnswer(
    await service.request({ method: verb, path: `/${method}`, query, json, effect }),
    answerSchema,
  );
  if (said.ok || accepts.includes(said.error ?? '')) return said;
  if (said.error !== undefined && REJECTIONS.has(said.error))
    await service.noteUse(`Slack has rejected the token (${said.error})`);
  throw refusal(said, effect);
}

function refusal({ error = 'it says no reason', needed, response_metadata: more }: SlackAnswer, effect: RunEffect) {
  const kind = CLASSES.get(error) ?? 'invalid_input';
  const lacks = needed === undefined ? '' : `; the token needs the scope ${needed}`;
  const messages = (more?.messages ?? []).slice(0, 5).map((message) => `; ${message}`);
  return new ToolFailure(kind, `Slack answers: ${error}${lacks}${messages.join('')}`, {
    isForeign: true,
    isUncertain: kind === 'upstream' && effect !== 'read',
  });
}

const postedSchema = z.looseObject({ channel: z.string().max(100), ts: z.string().max(100) });

/** Posts a message, and returns its conversation and its id there. */
export async function postMessage(
  service: Service,
  json: Readonly<Record<string, unknown>>,
): Promise<z.output<typeof postedSchema>> {
  const { data } = postedSchema.safeParse(
    await callSlack(service, { method: 'chat.postMessage', json, effect: 'once' }),
  );
  if (data !== undefined) return data;
  throw new ToolFailure('upstream', 'Slack does not say which message it has posted');
}

const GONE = /\b(?:message_not_found|cant_update_message|edit_window_closed)\b/;

/** Returns whether Slack has answered that a message can no longer be changed. */
export function isMessageGone(error: unknown): boolean {
  return error instanceof ToolFailure && GONE.test(error.message);
}

/** The fields of a message whose links are not expanded. */
export const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false };

const identitySchema = z.looseObject({ team_id: z.string().max(100) });

/** Returns the workspace that the token of a service belongs to. */
export async function slackTeamOf(service: Service): Promise<string> {
  const said = await callSlack(service, { method: 'auth.test', query: {}, effect: 'read' });
  const { data } = identitySchema.safeParse(said);
  if (data !== undefined) return data.team_id;
  throw new ToolFailure('upstream', 'Slack does not say which workspace the token belongs to');
}

/** Returns the `next` of a list; Slack gives an empty one with the last page. */
function nextOf({ response_metadata: more }: SlackAnswer): string | undefined {
  return more?.next_cursor === '' ? undefined : more?.next_cursor;
}

interface Upload {
  /** Path in the workspace. */
  readonly file: string;
  readonly channel: string;
  readonly text: string | undefined;
  readonly thread_ts: string | undefined;
}

/** Shares a file of the workspace in a channel. */
async function uploadFile({ file, ...message }: Upload, { service, context, readSent }: ServiceCall): Promise<unknown> {
  const name = filePath(file).at(-1) ?? '';
  const done = await shareInSlack(service, { ...message, files: [{ name, content: await readSent(file) }] }, context);
  return { files: pickFields(done['files'], 'id title name permalink') };
}

/** Files that are shared in a channel, with a text before them. */
interface SharedFiles extends Omit<Upload, 'file'> {
  readonly files: readonly { readonly name: string; readonly content: Uint8Array }[];
}

/**
 * Shares files in a channel, in one message: Slack names an address for the bytes of each, and then takes all from
 * there.
 */
export async function shareInSlack(
  service: Service,
  { channel, text, thread_ts, files }: SharedFiles,
  context: Pick<ServiceCall['context'], 'http' | 'signal'>,
): Promise<SlackAnswer> {
  const shared: { readonly id: string; readonly title: string }[] = [];
  for (const { name, content } of files) {
    const query = { filename: name, length: content.length };
    const said = await callSlack(service, { method: 'files.getUploadURLExternal', query, effect: 'read' });
    const target = uploadTargetSchema.safeParse(said);
    if (!target.success) throw new ToolFailure('upstream', 'Slack returned no upload address for the file');
    const url = slackFileAddress(service, target.data.upload_url);
    if (url === undefined)
      throw new ToolFailure('upstream', 'Slack returned an upload address that is not on a server of its own');
    await sendBytes(url, content, context);
    shared.push({ id: target.data.file_id, title: name });
  }
  const json = { files: shared, channel_id: channel, initial_comment: text, thread_ts };
  return callSlack(service, { method: 'files.completeUploadExternal', json, effect: 'once' });
}

/** Returns the URL that Slack has named for a file; undefined unless its host is that of the API or below. */
export function slackFileAddress({ apiUrl }: Service, text: string): string | undefined {
  const [url, api] = [URL.parse(text), new URL(apiUrl)];
  const isSlack = url !== null && url.protocol === api.protocol && isBelow(url, api);
  return isSlack && url.username === '' && url.password === '' ? url.href : undefined;
}

function isBelow(url: URL, api: URL): boolean {
  return url.host === api.host || (url.port === '' && url.hostname.endsWith(`.${api.hostname}`));
}

// The address opens the upload by itself, so no credentials go there.
async function sendBytes(
  url: string,
  body: Uint8Array,
  context: Pick<ServiceCall['context'], 'http' | 'signal'>,
): Promise<void> {
  const headers = { 'Content-Type': 'application/octet-stream' };
  const request = {
    url,
    method: 'POST',
    headers,
    body,
    followRedirects: false,
    timeoutMs: TIMEOUT_MS,
    maxBytes: 1_000,
  };
  // Nothing is shared until the upload is completed, so to send the bytes again changes nothing.
  const { status } = await sendRequest(request, 'keyed', context);
  if (status >= 300)
    throw new ToolFailure('upstream', `The server for files of Slack answers with the status ${status}`);
}
