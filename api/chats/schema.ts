import { z } from 'zod';
import { nameText, text } from '../../domain/core/text.ts';
import { MAX_CONTENT_CHARACTERS } from '../../domain/turns/index.ts';
import { timestamp } from '../core/fields.ts';

const title = nameText();

export const newChatSchema = z.strictObject({
  title: title.default('New Chat'),
  agent_id: z.uuid(),
  project_id: z.uuid().nullable().default(null),
});

export const titleSchema = z.strictObject({ title });

export const chatProviderChainSchema = z.strictObject({ provider_chain_id: z.uuid().nullable() });

export const excludedSchema = z.strictObject({ excluded: z.boolean() });

/** A message's text: not blank, and storable. */
export const contentField = text(MAX_CONTENT_CHARACTERS).refine(
  (content) => content.trim() !== '',
  'must not be empty',
);

/** Chosen by the client, so that sending again never makes a second turn. */
export const clientMessageIdField = text(200).min(1);

export const newMessageSchema = z.strictObject({
  content: contentField,
  client_message_id: clientMessageIdField.nullish(),
  file_ids: z.array(z.uuid()).max(20).optional(),
});

export const chatSchema = z
  .object({
    id: z.uuid(),
    title: z.string(),
    agent_id: z.uuid(),
    project_id: z.uuid().nullable(),
    user_id: z.uuid(),
    provider_chain_id: z.uuid().nullable(),
    parent_chat_id: z.uuid().nullable().meta({ description: 'Of the chat whose agent handed this work over' }),
    webhook: z.object({ url: z.string(), has_secret: z.boolean() }).nullable(),
    shared: z.boolean(),
    status: z.enum(['idle', 'running', 'waiting']),
    waiting_until: timestamp
      .nullable()
      .meta({ description: 'When a provider is expected back, while the running turn waits for one' }),
    created_at: timestamp,
    updated_at: timestamp,
    deleted_at: timestamp.nullable(),
  })
  .meta({ id: 'Chat' });

export const messageSchema = z
  .object({
    id: z.uuid(),
    chat_id: z.uuid(),
    role: z.enum(['user', 'assistant']),
    content: z.string(),
    metadata_: z.record(z.string(), z.unknown()),
    provider_used: z.string().nullable(),
    agent_id: z.uuid().nullable(),
    agent_name: z.string().nullable(),
    user_id: z.uuid().nullable(),
    user_name: z.string().nullable(),
    excluded: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Message' });

export const interruptSchema = z
  .object({ turn_id: z.uuid().nullable().meta({ description: 'The turn that stops; null when none was open' }) })
  .meta({ id: 'Interrupt' });
