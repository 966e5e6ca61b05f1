import { z } from 'zod';
import { APPROVAL_STATUSES } from '../../domain/approvals.ts';
import { TURN_STATES } from '../../domain/traces.ts';
import { MODEL_OUTCOMES, WAITS } from '../../domain/turns.ts';
import { timestamp } from '../http/fields.ts';

const turnState = z.enum(TURN_STATES).meta({ id: 'TurnState' });

/** Tokens, and what they cost. */
export const tokensSchema = z
  .object({
    input_tokens: z.int(),
    output_tokens: z.int(),
    cached_input_tokens: z.int(),
    reasoning_tokens: z.int(),
    estimated: z.boolean().meta({ description: 'Whether a provider reported none, so that they are estimates' }),
    cost: z.number().nullable().meta({ description: 'US dollars, by the prices of that time; null when unknown' }),
  })
  .meta({ id: 'TraceTokens' });

export const turnSchema = z
  .object({
    id: z.uuid(),
    chat_id: z.uuid(),
    status: turnState,
    question: z.string().nullable().meta({ description: 'The beginning of the message that it answers' }),
    agent_id: z.uuid().nullable(),
    agent_name: z.string().nullable(),
    model: z.string().nullable().meta({ description: 'The model that was called last; null until it has ended' }),
    error: z.string().nullable().meta({ description: 'Why it failed' }),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    ended_at: timestamp.nullable(),
    interrupted_at: timestamp.nullable().meta({ description: 'When a person asked it to stop' }),
    waiting_until: timestamp.nullable().meta({ description: 'Until when it waits at most; null when it does not' }),
    attempts: z.int().meta({
      description:
        '1, and one more for each time that a worker began a step again, looks at what it waits for included',
    }),
    tool_call_count: z.int(),
    usage: tokensSchema.meta({ description: 'Without sub-agents' }),
    parent_turn_id: z.uuid().nullable().meta({ description: 'For a sub-agent: the turn that delegated to it' }),
    parent_chat_id: z.uuid().nullable().meta({ description: 'The chat of that turn' }),
    task_id: z.uuid().nullable().meta({ description: 'The task that it is an attempt at, or tells the result of' }),
    run_id: z.uuid().nullable().meta({ description: 'The run of a workflow that it is a step of' }),
  })
  .meta({ id: 'Turn' });

const row = {
  id: z.string().meta({ description: 'Stays the same while the turn goes on; of a call it is the id of the call' }),
  parent_id: z.string().nullable().meta({ description: 'The call that it is below; null at the top' }),
  started_at: timestamp.nullable().meta({ description: 'Null for what has not begun' }),
  ended_at: timestamp.nullable().meta({ description: 'Null for what has not ended' }),
};
const step = z.int().meta({ description: 'The number of the model step, from 0' });

const subAgentSchema = z
  .object({
    turn_id: z.uuid().meta({ description: 'Its turn, whose rows are below this one' }),
    chat_id: z.uuid(),
    agent_name: z.string(),
    title: z.string(),
    status: turnState,
    usage: tokensSchema.meta({ description: 'Without sub-agents of its own' }),
  })
  .meta({ id: 'TraceSubAgent' });

/** The schema of each kind of row. */
export const STEP_SCHEMAS = {
  queue: z
    .object({ ...row, kind: z.literal('queue') })
    .meta({ id: 'TraceQueue', description: 'From the message until a worker began with it' }),
  wait: z
    .object({
      ...row,
      kind: z.literal('wait'),
      waits_for: z.enum(WAITS).meta({
        description: 'A place among the turns that run, a slot of the user, or a provider whose accounts all rest',
      }),
      until: timestamp.nullable().meta({ description: 'Until when at most; null when it is over' }),
    })
    .meta({ id: 'TraceWait' }),
  attempt: z
    .object({
      ...row,
      kind: z.literal('attempt'),
      step,
      status: z.enum(['running', 'lost', 'released']).meta({
        description:
          'Under way; or lost with its worker, so that there is no record of its model calls; or given up in order for another worker',
      }),
    })
    .meta({ id: 'TraceAttempt', description: 'An attempt at a step that has no outcome' }),
  model_call: z
    .object({
      ...row,
      kind: z.literal('model_call'),
      step,
      account: z.string().nullable().meta({
        description:
          'The name of the account at that time. Null, as are `account_id` and `reason`, when the chat is not yours and you may not view accounts',
      }),
      account_id: z.uuid().nullable(),
      provider_type: z.string().nullable(),
      model: z.string().nullable().meta({ description: 'Null when the account lacked a setting' }),
      first_token_at: timestamp.nullable(),
      outcome: z.enum(MODEL_OUTCOMES),
      failure: z.string().nullable().meta({
        description: '`busy`, `credentials`, `outage`, `timeout`, `no_tools` or `rejected`',
      }),
      reason: z.string().nullable().meta({ description: 'Why it failed' }),
      finish_reason: z.string().nullable(),
      usage: tokensSchema.nullable().meta({ description: 'Null when it was not counted' }),
    })
    .meta({ id: 'TraceModelCall' }),
  left_out: z
    .object({ ...row, kind: z.literal('left_out'), step, what: z.enum(['attempts', 'model_calls']), count: z.int() })
    .meta({ id: 'TraceLeftOut', description: 'What was not kept, because there was too much of it' }),
  blocked: z
    .object({ ...row, kind: z.literal('blocked'), reason: z.string() })
    .meta({ id: 'TraceBlocked', description: 'The turn ended before a model was asked: a budget is used up, say' }),
  call: z
    .object({
      ...row,
      kind: z.literal('call'),
      step,
      name: z.string(),
      label: z.string(),
      effect: z.enum(['read', 'keyed', 'once', 'agent']),
      status: z.enum(['planned', 'running', 'success', 'error', 'unknown', 'interrupted']),
      tries: z.int().meta({
        description: 'How often it was begun without ending in order: more than once when a worker was lost',
      }),
      arguments_excerpt: z.string().nullable().meta({ description: 'The beginning, as JSON; null when they are long' }),
      result_excerpt: z.string().nullable(),
      usage: tokensSchema.nullable().meta({ description: 'What a provider billed for it' }),
      sub_agent: subAgentSchema.nullable().meta({ description: 'The sub-agent that answers it' }),
    })
    .meta({ id: 'TraceCall' }),
  approval: z
    .object({
      ...row,
      kind: z.literal('approval'),
      approval_id: z.uuid(),
      status: z.enum(APPROVAL_STATUSES),
      expires_at: timestamp,
      decider_name: z.string().nullable(),
      note: z.string().nullable(),
    })
    .meta({ id: 'TraceApproval' }),
  interrupt: z
    .object({ ...row, kind: z.literal('interrupt') })
    .meta({ id: 'TraceInterrupt', description: 'A person asked the turn to stop' }),
} as const;

export const traceStepSchema = z
  .discriminatedUnion('kind', [
    STEP_SCHEMAS.queue,
    STEP_SCHEMAS.wait,
    STEP_SCHEMAS.attempt,
    STEP_SCHEMAS.model_call,
    STEP_SCHEMAS.left_out,
    STEP_SCHEMAS.blocked,
    STEP_SCHEMAS.call,
    STEP_SCHEMAS.approval,
    STEP_SCHEMAS.interrupt,
  ])
  .meta({ id: 'TraceStep' });

export const traceSchema = z
  .object({
    turn: turnSchema,
    steps: traceStepSchema.array().meta({
      description: 'What is below a row follows it, to the third level; otherwise they are in the order of time',
    }),
    is_cut: z.boolean().meta({ description: 'Whether rows or attempts are left out' }),
    working_ms: z.number().meta({ description: 'The time in which a model or a tool was at work, in milliseconds' }),
    usage_in_all: tokensSchema.meta({ description: 'With sub-agents' }),
    temporal_url: z.url().nullable().meta({
      description:
        "Where Temporal's UI shows the workflow of the chat; null unless the operator has said where that is",
    }),
  })
  .meta({ id: 'Trace' });

export const tracedCallSchema = z
  .object({
    id: z.uuid(),
    turn_id: z.uuid(),
    name: z.string(),
    label: z.string(),
    effect: z.enum(['read', 'keyed', 'once', 'agent']),
    status: z.enum(['planned', 'running', 'success', 'error', 'unknown', 'interrupted']),
    arguments: z.record(z.string(), z.unknown()).meta({ description: 'As the model gave them' }),
    edited_arguments: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'Those with which a person has approved it instead' }),
    result: z.string().nullable().meta({ description: 'As the model received it' }),
    tries: z.int(),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    ended_at: timestamp.nullable(),
  })
  .meta({ id: 'TracedCall' });
