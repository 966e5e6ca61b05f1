import { z } from 'zod';
import { cut, toStorableText, unescapeHtml } from './core/text.ts';
import type { IntegrationKindKey } from './integrations/kinds/index.ts';

/** The kinds of channels. */
export const CHANNEL_KINDS = ['slack', 'email'] as const;

export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** The kind of the integration that a channel of each kind answers with. */
export const ANSWERS_WITH = { email: 'smtp', slack: 'slack' } as const satisfies Readonly<
  Record<ChannelKind, IntegrationKindKey>
>;

/**
 * Senders by what the service calls them, such as `U024BE7LH` in Slack or their address in lower case, and the accounts
 * that they are.
 */
export type ChannelPeople = Readonly<Record<string, string>>;

/** Where a conversation takes place in a service. */
export interface ThreadAddress {
  readonly channel: string;
  /** The message that the thread begins with; null for a direct conversation without threads. */
  readonly thread: string | null;
}

/** A file of a message as its service names it. */
export interface NamedFile {
  readonly name: string;
  /** Where its bytes are; null when the service does not say. */
  readonly url: string | null;
  /** Its size; null when the service does not say. */
  readonly bytes: number | null;
}

/** A message that somebody has sent to an agent by a channel. */
export interface ChannelMessage extends ThreadAddress {
  /** The id of the sender at the service. */
  readonly sender: string;
  /** The workspace of the service that the channel belongs to; null if the service does not say. */
  readonly team: string | null;
  /** Of a mail its subject, where it begins a thread: the rest is in what was received. */
  readonly text: string;
  /** Absent for none, and of a mail, which contains them. */
  readonly files?: readonly NamedFile[];
  /** Whether only the sender sees the text, because it concerns what they have tried. */
  readonly isNotice?: true;
}

/** What a service reports to a channel. */
export type ChannelEvent =
  | { readonly kind: 'challenge'; readonly challenge: string }
  | { readonly kind: 'message'; readonly id: string; readonly message: ChannelMessage };

const MAX_ID = 100;
const MAX_TEXT = 40_000;
/** As long as the name of an upload may be. */
export const MAX_FILE_NAME = 255;

const challengeSchema = z.looseObject({ type: z.literal('url_verification'), challenge: z.string().min(1).max(1_000) });

const id = z
  .string()
  .regex(/^[\w.:-]+$/)
  .max(MAX_ID);

/** Slack allows ten in a message. */
const MAX_FILES = 100;

// A message counts whatever Slack leaves out about a file.
const filesSchema = z
  .array(
    z.looseObject({
      name: z.string().catch(''),
      size: z.int().min(0).nullable().catch(null),
      url_private_download: z
        .string()
        .regex(/^[!-~]+$/)
        .max(2_000)
        .nullable()
        .catch(null),
    }),
  )
  .catch([])
  .transform((files) =>
    files.slice(0, MAX_FILES).map(({ name, size: bytes, url_private_download: url }): NamedFile => {
      return { name: cut(toStorableText(name), MAX_FILE_NAME), url, bytes };
    }),
  );

const messageSchema = z.looseObject({
  type: z.literal('event_callback'),
  event_id: id,
  team_id: id.nullish(),
  authorizations: z.looseObject({ team_id: id.nullish(), user_id: id.nullish() }).array().max(10).default([]),
  event: z.looseObject({
    type: z.enum(['app_mention', 'message']),
    channel_type: z.string().max(MAX_ID).optional(),
    subtype: z.string().max(MAX_ID).optional(),
    bot_id: z.string().max(MAX_ID).nullish(),
    user: id,
    text: z.string(),
    channel: id,
    ts: id,
    thread_ts: id.optional(),
    files: filesSchema,
  }),
});

/** Subtypes of messages that a person has written. */
const WRITTEN: readonly (string | undefined)[] = [undefined, 'file_share', 'thread_broadcast'];

/** Reads what Slack reports; undefined for what no person has written to the bot. */
export function readSlackEvent(payload: unknown): ChannelEvent | undefined {
  const challenge = challengeSchema.safeParse(payload);
  if (challenge.success) return { kind: 'challenge', challenge: challenge.data.challenge };
  const { data } = messageSchema.safeParse(payload);
  if (data === undefined) return undefined;
  const { event_id: id, team_id: teamId, authorizations, event } = data;
  const [installed] = authorizations;
  const bot = installed?.user_id ?? undefined;
  if (!isForBot(event, bot)) return undefined;
  const text = plainText(event.text, bot);
  const team = installed?.team_id ?? teamId ?? null;
  const { channel, user: sender } = event;
  const { files } = event;
  if (text === '' && files.length === 0) return undefined;
  const message = { channel, thread: threadOf(event), sender, team, text, ...(files.length > 0 && { files }) };
  return { kind: 'message', id, message };
}

type SlackMessage = z.output<typeof messageSchema>['event'];

const isDirect = (event: SlackMessage) => event.channel_type === 'im';

function isForBot(event: SlackMessage, bot: string | undefined): boolean {
  if (event.bot_id != null || event.user === bot || !WRITTEN.includes(event.subtype)) return false;
  return event.type === 'app_mention' || isDirect(event);
}

// A direct conversation continues from message to message; elsewhere a mention begins a thread.
function threadOf(event: SlackMessage): string | null {
  return event.thread_ts ?? (isDirect(event) ? null : event.ts);
}

function plainText(text: string, bot: string | undefined): string {
  const said = bot === undefined ? text : text.replaceAll(`<@${bot}>`, ' ');
  return asMessage(unescapeHtml(said));
}

/** Returns a text as the message of a chat may be. */
export function asMessage(text: string): string {
  return cut(toStorableText(text).trim(), MAX_TEXT);
}

/** Names an account of a service: the address of its API, and the workspace. */
export function accountOf(apiUrl: string, team: string): string {
  return `${apiUrl} ${team}`;
}

/** Returns whether a message asks to stop the answer instead of being answered. */
export function asksToStop(text: string): boolean {
  return /^stop[.!]?$/i.test(text);
}

/** The prefix of the `client_message_id` of a message that has come by a channel; the id of its event follows. */
export const OF_CHANNEL = 'channel ';

/** The result of a message; `pending` until it was handled. */
export type ChannelEventStatus = 'pending' | 'accepted' | 'stopped' | 'refused' | 'ignored' | 'failed';
