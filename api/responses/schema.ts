import { z } from 'zod';
import { nameText, text } from '../../domain/core/text.ts';
import { MAX_CONTENT_CHARACTERS } from '../../domain/turns.ts';
import { MAX_MESSAGES, ONLY_TEXT, OWN_TOOLS, refusalPart } from '../completions/schema.ts';

// As OpenAI documents them: https://platform.openai.com/docs/api-reference/responses.

const metadataSchema = z
  .record(text(64), text(512))
  .refine((given) => Object.keys(given).length <= 16, 'must have at most 16 entries')
  .meta({ id: 'AgentResponseMetadata' });

const KEPT = 'what was said is kept in the chat; name the former answer with previous_response_id';

const partSchema = z.discriminatedUnion(
  'type',
  [
    z
      .looseObject({ type: z.enum(['input_text', 'output_text', 'text']), text: text(MAX_CONTENT_CHARACTERS) })
      .meta({ id: 'AgentResponseTextPart' }),
    refusalPart,
  ],
  ONLY_TEXT,
);

/** What a conversation with another model may contain beside messages. */
const OTHER_ITEMS = [
  'apply_patch_call',
  'apply_patch_call_output',
  'code_interpreter_call',
  'compaction',
  'computer_call',
  'computer_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'file_search_call',
  'function_call',
  'function_call_output',
  'image_generation_call',
  'local_shell_call',
  'local_shell_call_output',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'mcp_list_tools',
  'reasoning',
  'shell_call',
  'shell_call_output',
  'web_search_call',
] as const;

const messageItem = z
  .looseObject({
    type: z.literal('message').optional(),
    role: z.enum(['system', 'developer', 'user', 'assistant']),
    content: z.union([text(MAX_CONTENT_CHARACTERS), z.array(partSchema).max(100)], ONLY_TEXT).nullish(),
  })
  .refine(({ role, content }) => role === 'assistant' || (content !== undefined && content !== null), {
    path: ['content'],
    message: 'only an answer may come without content',
  })
  .meta({ id: 'AgentResponseInputMessage', description: 'Further fields are ignored' });

const otherItem = z.looseObject({ type: z.enum(OTHER_ITEMS) }).meta({
  id: 'AgentResponseOtherItem',
  description: 'Other output of another model; ignored',
});

const itemSchema = z.discriminatedUnion('type', [messageItem, otherItem]).meta({ id: 'AgentResponseInputItem' });

/** The request for an answer. What agents decide themselves, such as `temperature`, is ignored. */
export const responseRequestSchema = z
  .looseObject({
    model: nameText().meta({ description: 'The name of an agent, or its id' }),
    input: z
      .union([text(MAX_CONTENT_CHARACTERS), z.array(itemSchema).min(1).max(MAX_MESSAGES)])
      .meta({ description: 'A user message, or a list of messages, the last of which is answered' }),
    instructions: text(MAX_CONTENT_CHARACTERS)
      .nullish()
      .meta({ description: "Prepended to the user's message: the system prompt is the agent's" }),
    previous_response_id: text(100)
      .nullish()
      .meta({ description: 'The response that the conversation continues from' }),
    metadata: metadataSchema.nullish().meta({ description: 'Returned unchanged in the response' }),
    stream: z.boolean().nullish().meta({ description: 'Whether the answer is streamed as server-sent events' }),
    background: z
      .literal(false, 'an answer is waited for; with an Idempotency-Key it can be asked for again')
      .nullish(),
    conversation: z
      .null(KEPT)
      .optional()
      .meta({ type: ['string', 'null'] }),
    tools: z.array(z.unknown()).max(0, OWN_TOOLS).nullish(),
    text: z
      .looseObject({
        format: z
          .looseObject({ type: z.literal('text', 'an agent answers in text; describe the form in its prompt') })
          .optional(),
      })
      .nullish(),
  })
  .meta({
    id: 'AgentResponseRequest',
    description: 'Other fields of the Responses API are ignored',
    examples: [{ model: 'Helper', input: 'Hello!', stream: true }],
  });

export type ResponseRequest = z.output<typeof responseRequestSchema>;

const outputTextSchema = z
  .object({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(z.never()),
    logprobs: z.array(z.never()),
  })
  .meta({ id: 'AgentResponseOutputText' });

const outputMessageSchema = z
  .object({
    type: z.literal('message'),
    id: z.string(),
    role: z.literal('assistant'),
    status: z.enum(['in_progress', 'completed', 'incomplete']),
    content: z.array(outputTextSchema),
  })
  .meta({ id: 'AgentResponseOutputMessage' });

const usageSchema = z
  .object({
    input_tokens: z.int(),
    input_tokens_details: z
      .object({ cached_tokens: z.int(), cache_write_tokens: z.int() })
      .meta({ id: 'AgentResponseInputTokens' }),
    output_tokens: z.int(),
    output_tokens_details: z.object({ reasoning_tokens: z.int() }).meta({ id: 'AgentResponseOutputTokens' }),
    total_tokens: z.int(),
  })
  .meta({ id: 'AgentResponseUsage', description: 'Tokens of all model calls in the turn' });

export const responseSchema = z
  .object({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.int().meta({ description: 'Seconds since the epoch' }),
    status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
    error: z.object({ code: z.string(), message: z.string() }).meta({ id: 'AgentResponseError' }).nullable(),
    incomplete_details: z
      .object({ reason: z.literal('max_output_tokens') })
      .meta({ id: 'AgentResponseIncompleteDetails', description: "The answer was cut off by the model's token limit" })
      .nullable(),
    instructions: z.string().nullable(),
    metadata: metadataSchema,
    model: z.string(),
    output: z.array(outputMessageSchema),
    parallel_tool_calls: z.literal(false),
    previous_response_id: z.string().nullable(),
    temperature: z.number().nullable(),
    tool_choice: z.literal('none'),
    tools: z.array(z.never()),
    top_p: z.number().nullable(),
    usage: usageSchema.nullable(),
    everturn: z.object({ chat_id: z.uuid(), turn_id: z.uuid() }).meta({
      id: 'AgentResponsePlace',
      description: 'The chat and turn of the answer, where its steps and tool calls can be found',
    }),
  })
  .meta({ id: 'AgentResponse' });

/** One event of a streamed answer; which fields it has depends on its type. */
export const responseEventSchema = z.looseObject({ type: z.string(), sequence_number: z.int() }).meta({
  id: 'AgentResponseEvent',
  description: 'The data of one event, identified by its `type`, as documented by OpenAI',
});
