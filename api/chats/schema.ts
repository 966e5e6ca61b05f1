import { z } from 'zod';
import type { Chat } from '../../db/chats/chat.ts';
import type { Message } from '../../db/chats/messages.ts';
import type { Membership } from '../../domain/orgs.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import type { ApiContext } from '../context/api-context.ts';
import { OF_CHANNEL } from '../../domain/channels.ts';
import { CHAT_ORIGINS, UNTITLED } from '../../domain/chats.ts';
import { nameText, text } from '../../domain/core/text.ts';
import { MAX_CONTENT_CHARACTERS } from '../../domain/turns.ts';
import { idOf } from '../resources/id-fields.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, timestamp } from '../http/fields.ts';
import { messageMetadataSchema } from './message-metadata.ts';

const title = nameText();

export const newChatSchema = z
  .strictObject({
    title: title
      .nullish()
      // Clients that are generated from the description send the default.
      .transform((given) => (given === UNTITLED ? null : (given ?? null)))
      .meta({ default: UNTITLED, description: 'The default is replaced with the beginning of the first message' }),
    agent_id: idOf('agents'),
    project_id: idOf('projects').nullable().default(null).meta({
      description:
        'The project that it belongs to. The chat is then shared with the organization, until its owner makes it private',
    }),
  })
  .meta({ id: 'ChatCreate', examples: [{ agent_id: EXAMPLE_ID, title: 'Quarterly report' }] });

export const forkSchema = z
  .strictObject({
    message_id: idOf('messages').nullish().meta({
      description: 'The message whose turn is the last to be copied; defaults to the last ended turn of the chat',
    }),
    title: title.nullish().meta({ description: 'Defaults to the title of the chat' }),
  })
  .meta({ id: 'ChatFork', examples: [{ message_id: EXAMPLE_ID, title: 'Quarterly report, shorter' }] });

export const titleSchema = z
  .strictObject({ title })
  .meta({ id: 'ChatTitle', examples: [{ title: 'Quarterly report' }] });

export const chatProviderChainSchema = z
  .strictObject({ provider_chain_id: idOf('provider_chains').nullable() })
  .meta({ id: 'ChatProviderChain', examples: [{ provider_chain_id: EXAMPLE_ID }, { provider_chain_id: null }] });

export const sharingSchema = z
  .strictObject({ shared: z.boolean() })
  .meta({ id: 'ChatSharing', examples: [{ shared: false }] });

export const excludedSchema = z
  .strictObject({
    excluded: z.boolean(),
    from_here_on: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether it also applies to all later messages of the chat' }),
  })
  .meta({ id: 'MessageExclusion', examples: [{ excluded: true }, { excluded: true, from_here_on: true }] });

/** A message's text: not blank, and storable. */
export const contentField = text(MAX_CONTENT_CHARACTERS)
  .refine((content) => content.trim() !== '', 'must not be empty')
  .meta({ minLength: 1 });

/** Chosen by the client, so that sending a message again never makes a second turn. */
export const clientMessageIdField = text(200)
  .min(1)
  // The answer to a message with the id of another one would be posted to that one's thread.
  .refine((id) => !id.startsWith(OF_CHANNEL), `must not begin with "${OF_CHANNEL}": that is for messages of channels`)
  .meta({ description: 'Chosen by the client: sending the same message again creates no second turn' });

/** The files that the agent is to see with a message. */
export const fileIdsField = z
  .array(idOf('files'))
  .max(20)
  .meta({ description: 'Files of the chat that the agent should see with the message' });

export const messageTextSchema = z
  .strictObject({ content: contentField })
  .meta({ id: 'MessageText', examples: [{ content: 'Summarise the report in one page.' }] });

export const newMessageSchema = z
  .strictObject({
    content: contentField,
    client_message_id: clientMessageIdField.nullish(),
    file_ids: fileIdsField.optional(),
  })
  .meta({
    id: 'MessageCreate',
    examples: [{ content: 'Summarise the report.', client_message_id: 'a1f0-1' }],
  });

export const chatSchema = z
  .object({
    id: z.uuid(),
    title: z.string(),
    agent_id: z.uuid(),
    project_id: z.uuid().nullable(),
    user_id: z.uuid(),
    provider_chain_id: z.uuid().nullable(),
    parent_chat_id: z.uuid().nullable().meta({ description: 'The chat whose agent delegated this work' }),
    origin: z.enum(CHAT_ORIGINS).meta({
      description:
        'What started it: a person, a chat completions client, a run of a workflow or a schedule, work on an issue, or a delegating agent',
    }),
    webhook: z
      .object({
        url: z.string(),
        has_secret: z.boolean(),
        status: z.enum(['active', 'paused']),
        pause_reason: z.string().nullable().meta({ description: 'Why it is paused; null unless it is' }),
      })
      .meta({ id: 'ChatWebhook' })
      .nullable()
      .meta({ description: 'The URL that is notified of each message of the agent; shown to the owner only' }),
    shared: z.boolean().meta({
      description: 'Whether members with `chats.view_shared` may read it; only its owner, `user_id`, can write',
    }),
    status: z.enum(['idle', 'running', 'waiting']),
    waiting_for: z.enum(['approval', 'place', 'provider', 'worker']).nullable().meta({
      description:
        "What the running turn waits for: a person's decision about a call (its own or a sub-agent's), a free slot, a provider, or a worker while none is running",
    }),
    waiting_until: timestamp.nullable().meta({
      description: 'When the wait ends: a provider is expected back, or the approval expires',
    }),
    created_at: timestamp,
    updated_at: timestamp,
    deleted_at: timestamp
      .nullable()
      .meta({ description: 'When you deleted it; null unless it is deleted and can be restored' }),
    purge_at: timestamp.nullable().meta({
      description:
        'For a deleted chat: when it becomes due for permanent removal; null when the service keeps it indefinitely',
    }),
  })
  .meta({
    id: 'Chat',
    examples: [
      {
        id: EXAMPLE_ID,
        title: 'Quarterly report',
        agent_id: EXAMPLE_ID,
        project_id: null,
        user_id: EXAMPLE_ID,
        provider_chain_id: null,
        parent_chat_id: null,
        origin: 'person',
        webhook: null,
        shared: false,
        status: 'idle',
        waiting_for: null,
        waiting_until: null,
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
        deleted_at: null,
        purge_at: null,
      },
    ],
  });

const EXAMPLE_MESSAGE = {
  id: EXAMPLE_ID,
  chat_id: EXAMPLE_ID,
  turn_id: EXAMPLE_ID,
  client_message_id: null,
  role: 'assistant',
  content: 'The report says that sales rose.',
  file_ids: [],
  metadata_: {
    status: 'completed',
    turn_id: EXAMPLE_ID,
    tool_call_count: 0,
    tool_calls_detail: [],
    sub_agents: [],
    usage: { input_tokens: 812, output_tokens: 9 },
    usage_estimated: false,
    duration_ms: 4_210,
    finish_reason: 'done',
    model: 'gpt-5',
    provider_account_id: EXAMPLE_ID,
    context_tokens: 821,
    context_window: 400_000,
  },
  provider_used: 'Team account',
  agent_id: EXAMPLE_ID,
  agent_name: 'Researcher',
  user_id: null,
  user_name: null,
  excluded: false,
  created_at: EXAMPLE_TIME,
  updated_at: EXAMPLE_TIME,
};

export const messageSchema = z
  .object({
    id: z.uuid(),
    chat_id: z.uuid(),
    turn_id: z.uuid().meta({ description: 'The turn that the message started or answers' }),
    client_message_id: z.string().nullable().meta({ description: 'Chosen by the client that sent the message' }),
    role: z.enum(['user', 'assistant']),
    content: z.string(),
    file_ids: z.array(z.uuid()).meta({ description: 'The attached files; some may have been deleted since' }),
    metadata_: messageMetadataSchema,
    provider_used: z.string().nullable().meta({ description: 'The name of the provider account that answered' }),
    agent_id: z.uuid().nullable(),
    agent_name: z.string().nullable(),
    user_id: z.uuid().nullable(),
    user_name: z.string().nullable(),
    excluded: z.boolean().meta({ description: 'Whether it is hidden from models' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Message', examples: [EXAMPLE_MESSAGE] });

export const interruptSchema = z
  .object({ turn_id: z.uuid().nullable().meta({ description: 'The turn being stopped; null when none was open' }) })
  .meta({ id: 'Interrupt' });

/** The wait of a running turn. */
export type Wait = NonNullable<z.input<typeof chatSchema>['waiting_for']>;

const DAY_MS = 86_400_000;

/** Returns a chat as the API shows it to somebody: the address of its webhook is for its owner alone. */
export function presentChat(
  { deletedChatDays, workers }: Pick<ApiContext, 'deletedChatDays' | 'workers'>,
  { userId }: Pick<Membership, 'userId'>,
  chat: Chat,
): z.input<typeof chatSchema> {
  const { deletedAt } = chat;
  const isKept = deletedAt === null || deletedChatDays === 0;
  const purgeAt = isKept ? null : new Date(deletedAt.getTime() + deletedChatDays * DAY_MS);
  const webhook = chat.userId === userId ? chat.webhook : null;
  const waitingFor = waitOf({ workers }, chat);
  const wait = waitingFor === 'worker' && ({ status: 'waiting', waitingUntil: null } as const);
  return present(chatSchema, { ...chat, ...wait }, { purgeAt, webhook, waitingFor });
}

/** Returns what the running turn of a chat waits for; null while nothing is waited for. */
export function waitOf(
  { workers }: Pick<ApiContext, 'workers'>,
  { waitingFor, isDue }: Pick<Chat, 'waitingFor' | 'isDue'>,
): Wait | null {
  return isDue && workers.areAway && waitingFor !== 'approval' ? 'worker' : waitingFor;
}

/** Returns a message as the API shows it. */
export const presentMessage = presenter(messageSchema);

/** Returns why a turn failed, in words for its user. */
export function failureText(answer: Message): string {
  const error = answer.metadata['error'];
  return typeof error === 'string' ? error : 'The answer failed';
}
