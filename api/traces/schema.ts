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
    estimated: z.boolean().meta({ description: 'Whether they are estimates because a provider reported none' }),
    cost: z.number().nullable().meta({ description: 'US dollars, at the prices of that time; null when unknown' }),
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
    model: z.string().nullable().meta({ description: 'The model called last; null until the turn has ended' }),
    error: z.string().nullable().meta({ description: 'Why it failed' }),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    ended_at: timestamp.nullable(),
    interrupted_at: timestamp.nullable().meta({ description: 'When a person interrupted it' }),
    waiting_until: timestamp
      .nullable()
      .meta({ description: 'The latest end of its wait; null when it is not waiting' }),
    attempts: z.int().meta({
      description: '1, plus 1 for each time that a worker started a step again, including checks of what it waits for',
    }),
    tool_call_count: z.int(),
    usage: tokensSchema.meta({ description: 'Excluding sub-agents' }),
    parent_turn_id: z.uuid().nullable().meta({ description: 'For a sub-agent: the turn that delegated to it' }),
    parent_chat_id: z.uuid().nullable().meta({ description: 'The chat of that turn' }),
    task_id: z.uuid().nullable().meta({ description: 'The task that it is an attempt at, or whose result it reports' }),
    run_id: z.uuid().nullable().meta({ description: 'The workflow run that it is a step of' }),
  })
  .meta({ id: 'Turn' });

const row = {
  id: z.string().meta({ description: 'Stable while the turn runs; for a call, the id of the call' }),
  parent_id: z.string().nullable().meta({ description: 'The parent call; null at the top level' }),
  started_at: timestamp.nullable().meta({ description: 'Null if it has not started' }),
  ended_at: timestamp.nullable().meta({ description: 'Null if it has not ended' }),
};
const step = z.int().meta({ description: 'The number of the model step, from 0' });

const subAgentSchema = z
  .object({
    turn_id: z.uuid().meta({ description: 'Its turn, whose rows are children of this one' }),
    chat_id: z.uuid(),
    agent_name: z.string(),
    title: z.string(),
    status: turnState,
    usage: tokensSchema.meta({ description: 'Excluding its own sub-agents' }),
  })
  .meta({ id: 'TraceSubAgent' });

/** The schema of each kind of row. */
export const STEP_SCHEMAS = {
  queue: z
    .object({ ...row, kind: z.literal('queue') })
    .meta({ id: 'TraceQueue', description: 'From the message until a worker started on it' }),
  wait: z
    .object({
      ...row,
      kind: z.literal('wait'),
      waits_for: z.enum(WAITS).meta({
        description: 'A free turn slot, a slot of the user, or a provider whose accounts are all cooling down',
      }),
      until: timestamp.nullable().meta({ description: 'The latest end of the wait; null when it has ended' }),
    })
    .meta({ id: 'TraceWait' }),
  attempt: z
    .object({
      ...row,
      kind: z.literal('attempt'),
      step,
      status: z.enum(['running', 'lost', 'released']).meta({
        description:
          'In progress; lost with its worker, so that its model calls were not recorded; or handed over to another worker',
      }),
    })
    .meta({ id: 'TraceAttempt', description: 'An attempt at a step without an outcome' }),
  model_call: z
    .object({
      ...row,
      kind: z.literal('model_call'),
      step,
      account: z.string().nullable().meta({
        description:
          'The name of the account at that time. Null, like `account_id` and `reason`, when the chat is not yours and you may not view accounts',
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
      output_excerpt: z.string().meta({
        description: 'The beginning of what it wrote; empty when it made no reply, or its reply is tool calls alone',
      }),
      usage: tokensSchema.nullable().meta({ description: 'Null when it was not counted' }),
    })
    .meta({ id: 'TraceModelCall' }),
  left_out: z
    .object({ ...row, kind: z.literal('left_out'), step, what: z.enum(['attempts', 'model_calls']), count: z.int() })
    .meta({ id: 'TraceLeftOut', description: 'Rows that were not recorded because there were too many' }),
  blocked: z.object({ ...row, kind: z.literal('blocked'), reason: z.string() }).meta({
    id: 'TraceBlocked',
    description: 'The turn ended before a model was called, for example because a budget is exhausted',
  }),
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
        description: 'How many times it was started; more than once when a worker was lost',
      }),
      arguments_excerpt: z
        .string()
        .nullable()
        .meta({ description: 'The beginning of the arguments, as JSON; null when they are long' }),
      result_excerpt: z.string().nullable(),
      usage: tokensSchema.nullable().meta({ description: 'Usage billed by a provider for the call' }),
      sub_agent: subAgentSchema.nullable().meta({ description: 'The sub-agent that handles it' }),
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
      description: 'In order of time; the children of a row follow it, up to three levels',
    }),
    is_cut: z.boolean().meta({ description: 'Whether rows or attempts were left out' }),
    working_ms: z.number().meta({ description: 'The time in which a model or tool was working, in milliseconds' }),
    usage_in_all: tokensSchema.meta({ description: 'Including sub-agents' }),
    temporal_url: z.url().nullable().meta({
      description:
        "The workflow of the chat in the Temporal UI; null unless the operator has configured the UI's address",
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
    arguments: z.record(z.string(), z.unknown()).meta({ description: 'As given by the model' }),
    edited_arguments: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'The edited arguments with which a person approved it' }),
    result: z.string().nullable().meta({ description: 'As the model received it' }),
    tries: z.int(),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    ended_at: timestamp.nullable(),
  })
  .meta({ id: 'TracedCall' });
