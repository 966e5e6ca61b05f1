import { z } from 'zod';
import { nameText, text } from '../../domain/core/text.ts';
import { MAX_CONTENT_CHARACTERS } from '../../domain/turns.ts';

// As OpenAI documents them: https://platform.openai.com/docs/api-reference/chat, .../models.

/** Of a chat, 400 turns are read. */
export const MAX_MESSAGES = 800;
export const ONLY_TEXT = 'only text is taken here; add files to the chat of an agent';
export const OWN_TOOLS = 'agents have tools of their own: leave it out';

const textPart = z
  .looseObject({ type: z.literal('text', ONLY_TEXT), text: text(MAX_CONTENT_CHARACTERS) })
  .meta({ id: 'CompletionTextPart' });

/** A part of an answer that a model has refused to give. */
export const refusalPart = z
  .looseObject({ type: z.literal('refusal'), refusal: text(MAX_CONTENT_CHARACTERS) })
  .meta({ id: 'RefusalPart' });

const given = z.union([text(MAX_CONTENT_CHARACTERS), z.array(textPart).max(100)], ONLY_TEXT);
const answered = z.union(
  [text(MAX_CONTENT_CHARACTERS), z.array(z.discriminatedUnion('type', [textPart, refusalPart], ONLY_TEXT)).max(100)],
  ONLY_TEXT,
);

const messageSchema = z
  .discriminatedUnion('role', [
    z
      .looseObject({ role: z.enum(['system', 'developer', 'user']), content: given })
      .meta({ id: 'CompletionQuestion', description: 'Further fields are ignored' }),
    z
      .looseObject({
        role: z.literal('assistant'),
        content: answered.nullish(),
        refusal: text(MAX_CONTENT_CHARACTERS).nullish(),
      })
      .meta({ id: 'CompletionReply', description: 'Further fields, including tool calls, are ignored' }),
    z
      .looseObject({ role: z.enum(['tool', 'function']) })
      .meta({ id: 'CompletionToolResult', description: "The result of another model's tool call; ignored" }),
  ])
  .meta({ id: 'CompletionMessage' });

/** The request for an answer. What agents decide themselves, such as `temperature`, is ignored. */
export const completionRequestSchema = z
  .looseObject({
    model: nameText().meta({ description: 'The name of an agent, or its id' }),
    messages: z.array(messageSchema).min(1).max(MAX_MESSAGES).meta({
      description: "The whole conversation; the last message must be a user's, and is answered",
    }),
    stream: z.boolean().nullish().meta({ description: 'Whether the answer is streamed as server-sent events' }),
    stream_options: z
      .looseObject({ include_usage: z.boolean().nullish() })
      .nullish()
      .meta({ description: 'With `include_usage` the last event before `[DONE]` has the usage' }),
    n: z.literal(1, 'an agent gives one answer').nullish(),
    tools: z.array(z.unknown()).max(0, OWN_TOOLS).nullish(),
    functions: z.array(z.unknown()).max(0, OWN_TOOLS).nullish(),
    response_format: z
      .looseObject({ type: z.literal('text', 'an agent answers in text; describe the form in its prompt') })
      .nullish(),
  })
  .meta({
    id: 'CompletionRequest',
    description: 'Other fields of the Chat Completions API are ignored',
    examples: [{ model: 'Helper', messages: [{ role: 'user', content: 'Hello!' }], stream: true }],
  });

export type CompletionRequest = z.output<typeof completionRequestSchema>;

const usageSchema = z
  .object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z.object({ cached_tokens: z.int() }).meta({ id: 'CompletionInputTokens' }).optional(),
    completion_tokens_details: z
      .object({ reasoning_tokens: z.int() })
      .meta({ id: 'CompletionOutputTokens' })
      .optional(),
  })
  .meta({ id: 'CompletionUsage', description: 'Tokens of all model calls in the turn' });

/** `length`: the model's token limit has cut the answer. */
const FINISH_REASONS = ['stop', 'length'] as const;

const head = {
  id: z.string(),
  created: z.int().meta({ description: 'Seconds since the epoch' }),
  model: z.string(),
};

const referenceSchema = z.object({ chat_id: z.uuid(), turn_id: z.uuid() }).meta({
  id: 'CompletionPlace',
  description: 'The chat and turn of the answer, where its steps and tool calls can be found',
});

export const completionSchema = z
  .object({
    ...head,
    object: z.literal('chat.completion'),
    choices: z.array(
      z
        .object({
          index: z.int(),
          message: z
            .object({ role: z.literal('assistant'), content: z.string(), refusal: z.string().nullable() })
            .meta({ id: 'CompletionAnswer' }),
          logprobs: z.object({}).nullable(),
          finish_reason: z.enum(FINISH_REASONS),
        })
        .meta({ id: 'CompletionChoice' }),
    ),
    usage: usageSchema,
    everturn: referenceSchema,
  })
  .meta({ id: 'Completion' });

const deltaSchema = z
  .object({ role: z.literal('assistant').optional(), content: z.string().optional() })
  .meta({ id: 'CompletionDelta' });

export const completionChunkSchema = z
  .object({
    ...head,
    object: z.literal('chat.completion.chunk'),
    choices: z.array(
      z
        .object({
          index: z.int(),
          delta: deltaSchema,
          logprobs: z.object({}).nullable(),
          finish_reason: z.enum(FINISH_REASONS).nullable(),
        })
        .meta({ id: 'CompletionChunkChoice' }),
    ),
    usage: usageSchema.nullish(),
    everturn: referenceSchema.optional(),
  })
  .meta({ id: 'CompletionChunk', description: 'The data of one event; the last event is `[DONE]`' });

export const modelSchema = z
  .object({
    id: z.string().meta({ description: 'The name of the agent, or its id if the name is not unique' }),
    object: z.literal('model'),
    created: z.int().meta({ description: 'Seconds since the epoch' }),
    owned_by: z.string(),
  })
  .meta({
    id: 'ChatModel',
    examples: [{ id: 'Helper', object: 'model', created: 1_795_000_000, owned_by: 'everturn' }],
  });

export const modelListSchema = z
  .object({ object: z.literal('list'), data: modelSchema.array() })
  .meta({ id: 'ChatModelList' });
