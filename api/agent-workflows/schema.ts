import { z } from 'zod';
import { RUN_STATUSES, RUN_TRIGGERS, stepsIssue, TRIGGER_TYPES } from '../../domain/agent-workflows.ts';
import { isStorableJson, jsonObject, nameText, text } from '../../domain/core/text.ts';
import { WORKFLOW_OVERLAPS } from '../../domain/schedules/decide-slot.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, pageParams, timestamp } from '../http/fields.ts';
import { idOf } from '../resources/id-fields.ts';
import { timeFields } from '../schedules/schema.ts';
import { runDeliverySchema } from '../destinations/run-deliveries.ts';
import { runReportsField, shownRunReportsField } from '../destinations/run-reports.ts';
import { NO_NOTIFY, notifyFields, shownNotifyFields } from '../webhooks/schema.ts';

const MAX_PROMPT_CHARACTERS = 100_000;
const MAX_STEPS = 20;
const MAX_RETRIES = 5;
const MAX_CONCURRENT_RUNS = 1_000;
const MINUTES_OF_A_YEAR = 525_600;
const MAX_KEEP_DAYS = 3_650;
const DEFAULT_KEEP_DAYS = 90;
const MIN_SECRET_CHARACTERS = 8;
const MAX_JSON_DEPTH = 32;

const stepName = z
  .string()
  .regex(/^[A-Za-z][\w-]{0,49}$/, 'must begin with a letter and contain only letters, digits, _ and -, 50 at most')
  .meta({ description: 'Later steps use its output as `{{ steps.<name>.output }}`' });

const stepSchema = z
  .strictObject({
    name: stepName,
    prompt_template: text(MAX_PROMPT_CHARACTERS).refine((prompt) => prompt.trim() !== '', 'must not be empty'),
    agent_id: idOf('agents').nullable().default(null).meta({
      description: 'The agent that answers it; defaults to the agent of the workflow',
    }),
    approval: z.boolean().default(false).meta({
      description: 'Whether a person has to approve the prompt before it is sent (`/api/approvals`)',
    }),
    retries: z
      .int()
      .min(0)
      .max(MAX_RETRIES)
      .default(0)
      .meta({ description: 'How often it is retried after a failure, with increasing delays' }),
  })
  .meta({ id: 'WorkflowStepInput' });

const steps = z
  .array(stepSchema)
  .max(MAX_STEPS)
  .superRefine((given, context) => {
    const message = stepsIssue(given.map(({ name, prompt_template: promptTemplate }) => ({ name, promptTemplate })));
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({
    description:
      'Prompts sent one after the other in the conversation of a run, instead of `prompt_template`, which is kept',
  });

const fields = {
  name: nameText(),
  description: text(20_000),
  agent_id: idOf('agents').meta({ description: 'The agent that runs it' }),
  trigger_type: z.enum(TRIGGER_TYPES).meta({
    id: 'WorkflowTriggerType',
    description:
      'What starts its runs. `schedule`: its times, while it is active. Every workflow can also be triggered manually and, while it is active, by its webhook',
  }),
  prompt_template: text(MAX_PROMPT_CHARACTERS).meta({
    description:
      'The prompt sent to the agent if there are no `steps`; `{{ name }}` is replaced with the value of a variable, or with nothing if there is none',
  }),
  steps,
  max_concurrent_runs: z.int().min(1).max(MAX_CONCURRENT_RUNS).nullable().meta({
    description: 'The maximum number of concurrent runs; further ones wait in order. Null for no limit',
  }),
  time_limit_minutes: z.int().min(1).max(MINUTES_OF_A_YEAR).nullable().meta({
    description:
      'How long a run may take from its first turn before it is stopped and fails. Waits for approvals do not count. Null for no limit',
  }),
  keep_runs_days: z.int().min(1).max(MAX_KEEP_DAYS).meta({
    description: 'How long runs are kept after their end, before they are deleted with their conversations',
  }),
};

const overlap = z.enum(WORKFLOW_OVERLAPS).meta({
  id: 'WorkflowOverlap',
  description:
    'What happens at a scheduled time while a scheduled run is open. `skip`: no run is started. `allow_all`: another run is started, which waits if `max_concurrent_runs` is reached. `cancel_other`: open scheduled runs are stopped',
});

const times = { ...timeFields, overlap: overlap.default('skip') };
const timeChanges = {
  cron_expr: timeFields.cron_expr.removeDefault(),
  interval_minutes: timeFields.interval_minutes.removeDefault(),
  timezone: timeFields.timezone.removeDefault(),
  catchup_minutes: timeFields.catchup_minutes.removeDefault(),
  jitter_seconds: timeFields.jitter_seconds.removeDefault(),
  overlap,
};

const webhookSecret = text(500).min(MIN_SECRET_CHARACTERS).nullable().meta({
  description:
    'The secret with which requests to the webhook must be signed; stored encrypted and never shown. Setting it requires `webhooks.manage` and makes you the owner',
});

export const newWorkflowSchema = z
  .strictObject({
    ...fields,
    description: fields.description.default(''),
    trigger_type: fields.trigger_type.default('manual'),
    prompt_template: fields.prompt_template.default(''),
    steps: fields.steps.default([]),
    max_concurrent_runs: fields.max_concurrent_runs.default(null),
    time_limit_minutes: fields.time_limit_minutes.default(null),
    keep_runs_days: fields.keep_runs_days.default(DEFAULT_KEEP_DAYS),
    ...times,
    is_active: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether it is activated immediately, as by `activate`' }),
    webhook_secret: webhookSecret.default(null),
    notify_url: notifyFields.notify_url.optional(),
    notify_secret: notifyFields.notify_secret.optional(),
    deliveries: runReportsField.optional(),
  })
  .meta({
    id: 'WorkflowCreate',
    examples: [
      {
        name: 'Triage',
        agent_id: EXAMPLE_ID,
        trigger_type: 'webhook',
        prompt_template: 'Who should look at this report? {{ title }}: {{ text }}',
      },
    ],
  });

export const workflowChangesSchema = z
  .strictObject({
    ...fields,
    ...timeChanges,
    is_active: z.boolean(),
    ...notifyFields,
    deliveries: runReportsField,
    webhook_secret: webhookSecret,
  })
  .partial()
  .meta({ id: 'WorkflowUpdate', examples: [{ max_concurrent_runs: 1 }] });

const shownStepSchema = z
  .object({
    name: z.string(),
    prompt_template: z.string(),
    agent_id: z.uuid().nullable(),
    approval: z.boolean(),
    retries: z.int(),
  })
  .meta({ id: 'WorkflowStep' });

export const workflowSchema = z
  .object({
    id: z.uuid(),
    owner_id: z.uuid().nullable().meta({
      description:
        'The user in whose name the webhook starts runs: the one who last changed what they do or who can start them. Null when the account was deleted; it then starts none',
    }),
    ...fields,
    agent_id: z.uuid(),
    steps: z.array(shownStepSchema),
    variables: z.array(z.string()).meta({ description: 'The variable names used in its prompts' }),
    ...timeChanges,
    next_run_at: timestamp.nullable().meta({
      description:
        'When it next starts a scheduled run; null unless it is active, has times and its trigger type is `schedule`',
    }),
    pause_reason: z.string().nullable().meta({
      description: 'Why scheduled runs are paused although it is active; `activate` resumes them',
    }),
    is_active: z.boolean().meta({
      description: 'Whether its webhook or schedule starts runs',
    }),
    webhook_url: z.string().nullable().meta({
      description: 'Null, if there is no secret, for users without `schedules.manage`: the URL alone then starts runs',
    }),
    has_webhook_secret: z.boolean(),
    ...shownNotifyFields,
    deliveries: shownRunReportsField,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'Workflow',
    examples: [
      {
        id: EXAMPLE_ID,
        owner_id: EXAMPLE_ID,
        name: 'Triage',
        description: '',
        agent_id: EXAMPLE_ID,
        trigger_type: 'webhook',
        prompt_template: 'Who should look at this report? {{ title }}: {{ text }}',
        steps: [],
        max_concurrent_runs: null,
        time_limit_minutes: null,
        keep_runs_days: DEFAULT_KEEP_DAYS,
        variables: ['title', 'text'],
        cron_expr: null,
        interval_minutes: null,
        timezone: 'UTC',
        overlap: 'skip',
        catchup_minutes: 10,
        jitter_seconds: 0,
        next_run_at: null,
        pause_reason: null,
        is_active: true,
        webhook_url: `https://everturn.example.com/api/workflows/${EXAMPLE_ID}/webhook`,
        has_webhook_secret: false,
        ...NO_NOTIFY,
        deliveries: [],
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
      },
    ],
  });

export const triggerSchema = z
  .strictObject({
    variables: jsonObject().default({}).meta({
      description:
        'Values for the placeholders, by name: strings are inserted as they are; numbers, booleans and objects as JSON',
    }),
  })
  .meta({ id: 'WorkflowTrigger', examples: [{ variables: { title: 'Login fails', text: 'Since this morning.' } }] });

export const webhookBodySchema = z
  .record(z.string(), z.unknown())
  .refine((value) => isStorableJson(value, MAX_JSON_DEPTH), 'must be text that can be stored')
  .meta({
    id: 'WorkflowWebhookBody',
    description: 'Values for the placeholders, by name; `{{ user.name }}` reads a field of an object',
    examples: [{ title: 'Login fails', text: 'Since this morning.' }],
  });

export const startedRunSchema = z
  .object({ run_id: z.uuid() })
  .meta({ id: 'StartedRun', examples: [{ run_id: EXAMPLE_ID }] });

/** The state of a run. */
export const runStatus = z.enum(RUN_STATUSES).meta({ id: 'RunStatus' });

/** What started a run. */
export const runTrigger = z.enum(RUN_TRIGGERS).meta({ id: 'RunTrigger' });

export const runsQuery = z.strictObject({
  status: runStatus.optional().meta({ description: 'Only the runs in this state' }),
  triggered_by: runTrigger.optional().meta({ description: 'Only the runs started by this trigger' }),
  before: idOf('workflow_runs').optional().meta({ description: 'Only the runs before this one' }),
  ...pageParams,
});

const runFields = {
  id: z.uuid(),
  workflow_id: z.uuid(),
  org_id: z.uuid(),
  chat_id: z.uuid().nullable().meta({ description: 'Its conversation; null once it has been removed' }),
  user_id: z.uuid().meta({ description: 'The user in whose name it runs' }),
  status: runStatus,
  triggered_by: runTrigger,
  variables: z.record(z.string(), z.unknown()),
  missing_variables: z.array(z.string()).meta({ description: 'Variables of the first prompt that had no value' }),
  prompt: z.string().meta({ description: 'The first prompt, as sent' }),
  output: z.string().nullable().meta({ description: 'The last answer; null until it ends, and after a failure' }),
  error: z.string().nullable().meta({ description: 'Why it failed or was stopped, human-readable' }),
  usage: z
    .object({ input_tokens: z.int(), output_tokens: z.int() })
    .meta({ id: 'RunUsage', description: 'The tokens of all its turns; 0 until it ends' }),
  started_at: timestamp.nullable().meta({ description: 'When its first prompt was sent' }),
  completed_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
};

const EXAMPLE_RUN = {
  id: EXAMPLE_ID,
  workflow_id: EXAMPLE_ID,
  org_id: EXAMPLE_ID,
  chat_id: EXAMPLE_ID,
  user_id: EXAMPLE_ID,
  status: 'completed',
  triggered_by: 'webhook',
  variables: { title: 'Login fails', text: 'Since this morning.' },
  missing_variables: [],
  prompt: 'Who should look at this report? Login fails: Since this morning.',
  output: 'The team for accounts.',
  error: null,
  usage: { input_tokens: 431, output_tokens: 6 },
  started_at: EXAMPLE_TIME,
  completed_at: EXAMPLE_TIME,
  created_at: EXAMPLE_TIME,
  updated_at: EXAMPLE_TIME,
};

export const runSchema = z.object(runFields).meta({ id: 'WorkflowRun', examples: [EXAMPLE_RUN] });

const runStepSchema = z
  .object({
    name: z.string(),
    agent_id: z.uuid().nullable(),
    status: runStatus,
    attempts: z.int(),
    turn_id: z.uuid().nullable().meta({ description: 'The turn of the last attempt' }),
    output: z.string().nullable().meta({ description: 'Its answer, up to 20,000 characters' }),
    error: z.string().nullable(),
  })
  .meta({ id: 'WorkflowRunStep' });

export const runDetailsSchema = z
  .object({
    ...runFields,
    steps: z.array(runStepSchema),
    deliveries: z.array(runDeliverySchema).meta({ description: 'The reports of the run' }),
  })
  .meta({
    id: 'WorkflowRunDetails',
    examples: [
      {
        ...EXAMPLE_RUN,
        deliveries: [],
        steps: [
          {
            name: 'prompt',
            agent_id: EXAMPLE_ID,
            status: 'completed',
            attempts: 1,
            turn_id: EXAMPLE_ID,
            output: 'The team for accounts.',
            error: null,
          },
        ],
      },
    ],
  });
