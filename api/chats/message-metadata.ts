import { z } from 'zod';
import type { FinalCallStatus } from '../../domain/tool-calls/tool-call.ts';
import type { FinalTurnStatus } from '../../domain/turns.ts';
import { timestamp } from '../http/fields.ts';

const TURN_STATUSES = ['completed', 'interrupted', 'failed'] as const satisfies readonly FinalTurnStatus[];
const CALL_STATUSES = ['success', 'error', 'unknown', 'interrupted'] as const satisfies readonly FinalCallStatus[];

/** The outcome of a tool call. */
export const callStatus = z.enum(CALL_STATUSES).meta({
  id: 'CallStatus',
  description:
    'The outcome of a tool call: `success` or `error` as the tool reported, `unknown` when it may or may not have taken effect, `interrupted` when it was stopped or never begun',
});

/** The outcome of a turn, or of a sub-agent's work. */
export const turnStatus = z.enum(TURN_STATUSES).meta({ id: 'TurnStatus', description: 'The outcome of a turn' });

/** Tokens that were spent. */
export const usageSchema = z
  .object({
    input_tokens: z.int(),
    output_tokens: z.int(),
    cached_input_tokens: z.int().optional().meta({ description: "The part of the input read from a provider's cache" }),
    reasoning_tokens: z.int().optional().meta({ description: 'The part of the output that was reasoning' }),
    cost_usd: z
      .number()
      .optional()
      .meta({ description: 'US dollars, at the prices of that time; absent when one of them was unknown' }),
  })
  .meta({ id: 'Usage', description: 'Tokens of all model calls' });

/** Returns the tokens of an answer; none when it was stored without. */
export function usageOfAnswer(metadata: Readonly<Record<string, unknown>>): z.output<typeof usageSchema> {
  return usageSchema.safeParse(metadata['usage']).data ?? { input_tokens: 0, output_tokens: 0 };
}

/** Returns whether the model's token limit has cut an answer. */
export function isCutAnswer(metadata: Readonly<Record<string, unknown>>): boolean {
  return metadata['finish_reason'] === 'length';
}

const toolCallSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()).meta({
      description:
        'As given by the model, or as edited by a person when approving; likely secrets are masked, and long ones are truncated',
    }),
    status: callStatus,
    result: z.string().meta({ description: 'The result as the model received it; truncated if long' }),
    started_at: timestamp.nullable(),
    ended_at: timestamp.nullable(),
    offset: z.int().optional().meta({
      description: 'The length of the `content` before the call, in UTF-16 code units; absent in older messages',
    }),
  })
  .meta({ id: 'ToolCall' });

const subAgentSchema = z
  .object({
    task_id: z.uuid(),
    call_id: z.uuid().optional().meta({
      description: 'The call that delegated the work; absent in older messages',
    }),
    agent_id: z.uuid().nullable(),
    agent_name: z.string(),
    task_title: z.string(),
    sub_chat_id: z.uuid().meta({ description: 'The chat in which the sub-agent worked' }),
    status: turnStatus,
    output: z.string(),
    usage: usageSchema,
  })
  .meta({ id: 'SubAgent' });

/** The metadata of a message. */
export const messageMetadataSchema = z
  .looseObject({
    status: turnStatus,
    turn_id: z.uuid(),
    tool_call_count: z.int(),
    tool_calls_detail: z.array(toolCallSchema),
    sub_agents: z.array(subAgentSchema).meta({ description: 'The sub-agents to which work was delegated' }),
    task: z
      .object({ id: z.uuid(), title: z.string(), status: z.string() })
      .meta({ id: 'ReportedTask', description: 'The task whose result the message reports, as of that time' }),
    usage: usageSchema,
    usage_estimated: z
      .boolean()
      .meta({ description: 'Whether the figures are estimates, because a provider reported none' }),
    model: z.string().nullable().meta({ description: 'The model called last; null when none was' }),
    provider_account_id: z.uuid().nullable(),
    context_tokens: z.int().nullable().meta({
      description: 'Input and output tokens of the last model call; null when no model answered, and for CLI providers',
    }),
    context_window: z
      .int()
      .nullable()
      .meta({ description: "The context window of that call's model, in tokens; null when unknown" }),
    duration_ms: z.int().meta({
      description:
        'Milliseconds from the start of the turn to its end, including waits; absent when it had not started',
    }),
    finish_reason: z
      .string()
      .meta({ description: 'Why the model stopped: `done`, `length`, or another reason as its provider reports it' }),
    imported: z.boolean().meta({ description: 'Whether a client imported the message from elsewhere' }),
    withdrawn: z.boolean().meta({ description: 'Whether the question was withdrawn before its turn began' }),
    error: z.string().meta({ description: 'Why the turn failed, human-readable' }),
  })
  .partial()
  .meta({ id: 'MessageMetadata', description: 'Empty for user messages' });
