import { z } from 'zod';
import { APPROVAL_MODES, APPROVAL_STATUSES } from '../../domain/approvals.ts';
import { isStorableJson, text } from '../../domain/core/text.ts';
import { ROLES } from '../../domain/permissions/keys.ts';
import { DECIDING_ROLES } from '../../domain/questions.ts';
import { MAX_ARGUMENT_CHARACTERS, MAX_ARGUMENT_NESTING } from '../../domain/tool-calls/tool-call.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, pageParams, timestamp } from '../http/fields.ts';
import { idFilter } from '../resources/id-fields.ts';

export const approvalStatus = z.enum(APPROVAL_STATUSES).meta({ id: 'ApprovalStatus' });

export const finalApprovalStatus = approvalStatus.exclude(['pending']).meta({ id: 'FinalApprovalStatus' });

const MAX_NOTE_CHARACTERS = 2_000;
const MAX_ANSWER_CHARACTERS = 4_000;

export const approvalsQuery = z.strictObject({
  status: approvalStatus.optional().meta({ description: 'Only the approvals in this state' }),
  chat_id: idFilter('chats').optional().meta({ description: 'Only those of this chat and of its sub-agents' }),
  agent_id: idFilter('agents').optional().meta({ description: 'Only those of this agent' }),
  ...pageParams,
});

export const decisionSchema = z
  .strictObject({
    approve: z
      .boolean()
      .meta({ description: 'Whether the call is made, the step begins, or the question is answered' }),
    answer: text(MAX_ANSWER_CHARACTERS).trim().min(1).optional().meta({
      description:
        'The answer to a question: one of its options if it has any. Required to answer, and for questions only',
    }),
    note: text(MAX_NOTE_CHARACTERS)
      .nullable()
      .default(null)
      .meta({ description: 'What the model sees with it; the `error` of a run says why its step was denied' }),
    arguments: z
      .record(z.string(), z.unknown())
      .refine((value) => isStorableJson(value, MAX_ARGUMENT_NESTING), {
        error: `must be storable text nested at most ${MAX_ARGUMENT_NESTING} levels`,
        abort: true,
      })
      .refine(
        (value) => JSON.stringify(value).length <= MAX_ARGUMENT_CHARACTERS,
        `must not exceed ${MAX_ARGUMENT_CHARACTERS} characters`,
      )
      .optional()
      .meta({
        description:
          'Arguments to make the call with instead of those of the model, or for a step `{ prompt }`, which is sent instead; with changed ones, secrets that are shown as `***` have to be given again (422). Only the user of the turn and administrators edit them',
      }),
  })
  .meta({
    id: 'ApprovalDecision',
    examples: [
      { approve: true },
      { approve: false, note: 'Write to the test system first' },
      { approve: true, answer: 'Ship it on Monday' },
    ],
  });

const shownArguments = z.record(z.string(), z.unknown());

const detailSchema = z
  .object({ label: z.string(), value: z.string() })
  .meta({ id: 'ApprovalDetail', examples: [{ label: 'Address', value: 'https://api.example.com/orders' }] });

const questionSchema = z
  .object({
    text: z.string(),
    options: z
      .string()
      .array()
      .nullable()
      .meta({ description: 'The answers to choose from; null when any text is one' }),
    default_answer: z.string().meta({ description: 'The answer when nobody gives one until `expires_at`' }),
    user_id: z.uuid().nullable().meta({ description: 'The only user who may answer' }),
    user_name: z.string().nullable(),
    role: z
      .enum(ROLES)
      .nullable()
      .meta({ description: 'The role whose holders, and those of higher ones, may answer' }),
  })
  .meta({
    id: 'Question',
    description: 'What a person is asked, and who may answer',
    examples: [
      {
        text: 'Which release do we ship?',
        options: ['4.1', '4.2'],
        default_answer: '4.1',
        user_id: null,
        user_name: null,
        role: 'admin',
      },
    ],
  });

const escalationSchema = z
  .object({
    user_id: z.uuid().nullable().meta({ description: 'The member; null for those of a role' }),
    user_name: z.string().nullable(),
    role: z
      .enum(DECIDING_ROLES)
      .nullable()
      .meta({ description: 'The role whose holders, and those of higher ones, may decide' }),
  })
  .meta({ id: 'Escalation', examples: [{ user_id: null, user_name: null, role: 'admin' }] });

const voteSchema = z
  .object({
    user_id: z.uuid(),
    user_name: z.string().nullable(),
    approve: z.boolean(),
    note: z.string().nullable(),
    voted_at: timestamp,
  })
  .meta({
    id: 'ApprovalVote',
    examples: [{ user_id: EXAMPLE_ID, user_name: 'Grace', approve: true, note: null, voted_at: EXAMPLE_TIME }],
  });

const approvalFields = z.object({
  id: z.uuid(),
  chat_id: z.uuid().meta({
    description:
      'The chat of the agent that makes the call, a sub-agent has one of its own; for a step the conversation of its run',
  }),
  turn_id: z.uuid().nullable().meta({ description: 'Null for a step: its turn has not begun' }),
  call_id: z.uuid().nullable().meta({
    description: 'Identifies the call in frames and in `tool_calls_detail`; null for a step',
  }),
  workflow_id: z.uuid().nullable().meta({ description: 'The workflow whose run waits before a step; null for a call' }),
  run_id: z.uuid().nullable().meta({ description: 'That run' }),
  step: z.string().nullable().meta({ description: 'The name of that step' }),
  user_id: z.uuid().meta({ description: 'The user in whose name the agent works' }),
  other_person: z.boolean().meta({
    description:
      'Whether somebody other than `user_id` has to approve it, as the organization is set (`approvals_other_person`)',
  }),
  agent_id: z.uuid(),
  agent_name: z.string(),
  tool: z.string().nullable().meta({ description: 'The key of the tool; null for a step' }),
  label: z.string().meta({ description: 'A human-readable description of the call or step' }),
  arguments: shownArguments.meta({
    description: 'The arguments that the model gave, for a step `{ prompt }`: what is sent; likely secrets are masked',
  }),
  edited_arguments: shownArguments.nullable().meta({
    description:
      'Those with which it was approved, or is to be approved again, instead; null when they were not changed',
  }),
  details: detailSchema.array().meta({
    description:
      'What the call does beyond its arguments, as of the request: method, address and body of a request, the address of an integration, the script of a custom tool. If the call would do something else once approved, it is not made and approval is requested again',
  }),
  status: approvalStatus,
  requested_at: timestamp,
  expires_at: timestamp.meta({
    description: 'When it is no longer waited for: the call is then not made, and the run of a step fails',
  }),
  quorum: z.int().meta({
    description:
      'How many different people have to approve it (`approvals_quorum` of the organization when it began to wait)',
  }),
  votes: voteSchema
    .array()
    .meta({ description: 'Who has approved or denied it, in this order; it is pending until enough have approved' }),
  remind_at: timestamp.nullable().meta({
    description:
      'When whoever has to decide is reminded, as the organization is set (`approvals_reminder_minutes`); null when they were, or are not to be',
  }),
  escalate_at: timestamp.nullable().meta({
    description:
      'When it is escalated, as the organization is set (`approvals_escalation_minutes`); null when it was, or is not to be',
  }),
  escalated_at: timestamp.nullable().meta({ description: 'When it was escalated, because nobody had decided' }),
  escalated_to: escalationSchema
    .nullable()
    .meta({ description: 'Who was notified then and may decide, too; null when it was not escalated' }),
  decided_by: z.uuid().nullable(),
  decider_name: z.string().nullable(),
  decided_at: timestamp.nullable().meta({ description: 'When it was decided, expired or cancelled' }),
  note: z.string().nullable(),
  question: questionSchema
    .nullable()
    .meta({ description: 'Set for a question, which is answered instead of approved' }),
  answer: z.string().nullable().meta({ description: 'The answer to the question; of an `expired` one the default' }),
});

const EXAMPLE = {
  id: EXAMPLE_ID,
  chat_id: EXAMPLE_ID,
  turn_id: EXAMPLE_ID,
  call_id: EXAMPLE_ID,
  workflow_id: null,
  run_id: null,
  step: null,
  user_id: EXAMPLE_ID,
  other_person: false,
  agent_id: EXAMPLE_ID,
  agent_name: 'Researcher',
  tool: 'file_write',
  label: 'Writing report.md',
  arguments: { path: 'report.md', content: 'Sales rose.' },
  edited_arguments: null,
  details: [],
  status: 'pending',
  requested_at: EXAMPLE_TIME,
  expires_at: EXAMPLE_TIME,
  quorum: 1,
  votes: [],
  remind_at: null,
  escalate_at: null,
  escalated_at: null,
  escalated_to: null,
  decided_by: null,
  decider_name: null,
  decided_at: null,
  note: null,
  question: null,
  answer: null,
};

export const approvalSchema = approvalFields.meta({
  id: 'Approval',
  description:
    "A tool call, or a step of a workflow's run, that waits, or has waited, for a person's decision; or a question that waits for an answer",
  examples: [EXAMPLE],
});

/** An approval that is read by itself. */
export const editableApprovalSchema = approvalFields
  .extend({
    parameters: z.record(z.string(), z.unknown()).nullable().meta({
      description: 'The JSON Schema of the arguments while they can be edited; null when they cannot',
    }),
  })
  .meta({
    id: 'EditableApproval',
    description: 'An approval, and what its arguments may be',
    examples: [{ ...EXAMPLE, parameters: { type: 'object', properties: { path: { type: 'string' } } } }],
  });

const MAX_NAMED_TOOLS = 200;

/** When calls of an agent wait for a person, by the key of their tool. */
export const approvalModesSchema = z
  .record(
    z
      .string()
      .min(1)
      .max(200)
      .refine((key) => key !== '__proto__', 'is not a key of a tool'),
    z.enum(APPROVAL_MODES).meta({ id: 'ApprovalMode' }),
  )
  .refine((modes) => Object.keys(modes).length <= MAX_NAMED_TOOLS, `must name at most ${MAX_NAMED_TOOLS} tools`)
  .meta({
    description:
      'When a call waits for a person, by the key of its tool: `writes` when it may change something. `*` stands for all tools that are not named, `mcp` for those of MCP servers. For a tool that is not named, the stricter of `*` and the default of the tool holds. Only tools that exist can be added (422). Changing it needs `approvals.manage`',
    examples: [{ '*': 'writes', file_write: 'never' }],
  });
