import { z } from 'zod';
import { SCHEDULE_DEFAULTS } from '../../db/schedules/schedules.ts';
import { nameText, text } from '../../domain/core/text.ts';
import { MAX_INTERVAL_MINUTES } from '../../domain/schedules/timing.ts';
import { OVERLAPS, SCHEDULE_RUN_STATUSES, SCHEDULE_RUN_TRIGGERS } from '../../domain/schedules/decide-slot.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, pageParams, queryInt, timestamp } from '../http/fields.ts';
import { runDeliverySchema } from '../destinations/run-deliveries.ts';
import { runReportsField, shownRunReportsField } from '../destinations/run-reports.ts';
import { idOf } from '../resources/id-fields.ts';
import { NO_NOTIFY, notifyFields, shownNotifyFields } from '../webhooks/schema.ts';

const MAX_PROMPT_CHARACTERS = 100_000;
const MAX_CRON_CHARACTERS = 200;
const MAX_ZONE_CHARACTERS = 100;
const MAX_CATCHUP_MINUTES = 10_080;
const MAX_JITTER_SECONDS = 3_600;
const MAX_RUNS = 1_000_000;
const MAX_KEEP_DAYS = 3_650;
const MAX_NEXT = 100;
const DEFAULT_NEXT = 5;

const moment = z.iso.datetime({ offset: true });

const fields = {
  name: nameText(),
  description: text(20_000).nullable(),
  cron_expr: text(MAX_CRON_CHARACTERS).nullable().meta({
    description:
      'Minute, hour, day, month and weekday, or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`, in local time of `timezone`. Exactly one of this and `interval_minutes` is set',
  }),
  interval_minutes: z.int().min(1).max(MAX_INTERVAL_MINUTES).nullable().meta({
    description: 'The minutes between runs, counted from `start_at` or, without it, from the creation',
  }),
  agent_id: idOf('agents').nullable().meta({
    description:
      'The agent that receives the prompt. Without one the schedule is inactive and cannot be triggered (422)',
  }),
  prompt: text(MAX_PROMPT_CHARACTERS)
    .refine((prompt) => prompt.trim() !== '', 'must not be empty')
    .meta({ description: 'The message sent to the agent, unchanged' }),
  timezone: text(MAX_ZONE_CHARACTERS).meta({
    description:
      'An IANA time zone, such as Europe/Berlin. When daylight saving time starts or ends, cron times between 0:00 and 4:00 may be skipped or occur twice',
  }),
  overlap: z.enum(OVERLAPS).meta({
    id: 'ScheduleOverlap',
    description:
      'What happens at a scheduled time while a run is open. `skip`: no run is started. `buffer_one`: one run waits for the end of the open one. `allow_all`: runs overlap. `cancel_other`: open runs are stopped',
  }),
  catchup_minutes: z.int().min(1).max(MAX_CATCHUP_MINUTES).meta({
    description: 'Times missed because no worker was running are caught up if they are no older than this',
  }),
  jitter_seconds: z.int().min(0).max(MAX_JITTER_SECONDS).meta({
    description: 'A run starts up to this many seconds after its time, so that many schedules do not start at once',
  }),
  pause_on_failure: z.boolean().meta({ description: 'Whether a failed run deactivates the schedule' }),
  start_at: moment.nullable().meta({ description: 'No scheduled run starts before this time' }),
  end_at: moment.nullable().meta({ description: 'No scheduled run starts after this time' }),
  max_runs: z.int().min(1).max(MAX_RUNS).nullable().meta({
    description: 'The schedule ends after this many scheduled runs; null for no limit',
  }),
  keep_runs_days: z.int().min(1).max(MAX_KEEP_DAYS).meta({
    description: 'How long runs are kept after their end, before they are deleted with their conversations',
  }),
};

/** The timing fields, shared with workflows that have a schedule. */
export const timeFields = {
  cron_expr: fields.cron_expr.default(SCHEDULE_DEFAULTS.cronExpr),
  interval_minutes: fields.interval_minutes.default(SCHEDULE_DEFAULTS.intervalMinutes),
  timezone: fields.timezone.default(SCHEDULE_DEFAULTS.timezone),
  catchup_minutes: fields.catchup_minutes.default(SCHEDULE_DEFAULTS.catchupMinutes),
  jitter_seconds: fields.jitter_seconds.default(SCHEDULE_DEFAULTS.jitterSeconds),
};

export const newScheduleSchema = z
  .strictObject({
    ...fields,
    description: fields.description.default(SCHEDULE_DEFAULTS.description),
    agent_id: fields.agent_id.default(SCHEDULE_DEFAULTS.agentId),
    ...timeFields,
    overlap: fields.overlap.default(SCHEDULE_DEFAULTS.overlap),
    pause_on_failure: fields.pause_on_failure.default(SCHEDULE_DEFAULTS.pauseOnFailure),
    start_at: fields.start_at.default(SCHEDULE_DEFAULTS.startAt),
    end_at: fields.end_at.default(SCHEDULE_DEFAULTS.endAt),
    max_runs: fields.max_runs.default(SCHEDULE_DEFAULTS.maxRuns),
    keep_runs_days: fields.keep_runs_days.default(SCHEDULE_DEFAULTS.keepRunsDays),
    is_active: z
      .boolean()
      .default(SCHEDULE_DEFAULTS.isActive)
      .meta({ description: 'Whether it starts runs from now on, if it has an agent' }),
    notify_url: notifyFields.notify_url.optional(),
    notify_secret: notifyFields.notify_secret.optional(),
    deliveries: runReportsField.optional(),
  })
  .meta({
    id: 'ScheduleCreate',
    examples: [
      {
        name: 'Weekly report',
        agent_id: EXAMPLE_ID,
        cron_expr: '0 9 * * mon',
        timezone: 'Europe/Berlin',
        prompt: 'Write the report of last week.',
      },
    ],
  });

export const scheduleChangesSchema = z
  .strictObject({ ...fields, is_active: z.boolean(), ...notifyFields, deliveries: runReportsField })
  .partial()
  .meta({ id: 'ScheduleUpdate', examples: [{ cron_expr: '30 8 * * mon-fri' }] });

const runStatus = z.enum(SCHEDULE_RUN_STATUSES).meta({ id: 'ScheduleRunStatus' });
const runTrigger = z.enum(SCHEDULE_RUN_TRIGGERS).meta({ id: 'ScheduleRunTrigger' });

const lastRunSchema = z
  .object({
    id: z.uuid(),
    status: runStatus,
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
  })
  .meta({ id: 'ScheduleLastRun' });

export const scheduleSchema = z
  .object({
    id: z.uuid(),
    org_id: z.uuid(),
    owner_id: z.uuid().nullable().meta({
      description:
        'The user in whose name it starts runs: the one who last changed what it runs or when, or activated it',
    }),
    ...fields,
    agent_id: z.uuid().nullable(),
    start_at: timestamp.nullable(),
    end_at: timestamp.nullable(),
    is_active: z.boolean(),
    pause_reason: z.string().nullable().meta({
      description: 'Why it was deactivated automatically, human-readable; null when a person did it',
    }),
    next_run_at: timestamp.nullable().meta({ description: 'Its next time; null while it is inactive' }),
    last_run: lastRunSchema.nullable().meta({ description: 'The newest run' }),
    ...shownNotifyFields,
    deliveries: shownRunReportsField,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'Schedule',
    examples: [
      {
        id: EXAMPLE_ID,
        org_id: EXAMPLE_ID,
        owner_id: EXAMPLE_ID,
        name: 'Weekly report',
        description: null,
        cron_expr: '0 9 * * mon',
        interval_minutes: null,
        agent_id: EXAMPLE_ID,
        prompt: 'Write the report of last week.',
        timezone: 'Europe/Berlin',
        overlap: 'skip',
        catchup_minutes: SCHEDULE_DEFAULTS.catchupMinutes,
        jitter_seconds: 0,
        pause_on_failure: false,
        start_at: null,
        end_at: null,
        max_runs: null,
        keep_runs_days: SCHEDULE_DEFAULTS.keepRunsDays,
        is_active: true,
        pause_reason: null,
        next_run_at: EXAMPLE_TIME,
        last_run: null,
        ...NO_NOTIFY,
        deliveries: [],
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
      },
    ],
  });

export const nextQuery = z.strictObject({
  count: queryInt(1, MAX_NEXT)
    .meta({ type: 'integer', minimum: 1, maximum: MAX_NEXT, default: DEFAULT_NEXT, description: 'How many' })
    .optional(),
});

/** The times that are shown unless a number is asked for. */
export const SHOWN_NEXT = DEFAULT_NEXT;

export const nextSchema = z
  .object({ times: z.array(timestamp).meta({ description: 'Without jitter' }) })
  .meta({ id: 'ScheduleNextTimes', examples: [{ times: [EXAMPLE_TIME] }] });

export const backfillSchema = z
  .strictObject({
    from: moment.meta({ description: 'The first time' }),
    to: moment.meta({ description: 'The last time, not in the future' }),
  })
  .meta({ id: 'ScheduleBackfill', examples: [{ from: '2026-11-02T00:00:00Z', to: EXAMPLE_TIME }] });

export const backfilledSchema = z
  .object({
    created: z.int().meta({ description: 'The number of runs created' }),
    skipped: z.int().meta({ description: 'The number of times that already had a run' }),
  })
  .meta({ id: 'ScheduleBackfilled', examples: [{ created: 3, skipped: 1 }] });

export const scheduleRunsQuery = z.strictObject({
  status: runStatus.optional().meta({ description: 'Only the runs in this state' }),
  triggered_by: runTrigger.optional().meta({ description: 'Only the runs started by this trigger' }),
  before: idOf('schedule_runs').optional().meta({ description: 'Only the runs before this one' }),
  ...pageParams,
});

export const scheduleRunSchema = z
  .object({
    id: z.uuid(),
    schedule_id: z.uuid(),
    org_id: z.uuid(),
    chat_id: z.uuid().nullable().meta({
      description: 'Its conversation; null when a limit allowed none, and once it has been removed',
    }),
    user_id: z.uuid().meta({ description: 'The user in whose name it runs' }),
    status: runStatus,
    triggered_by: runTrigger,
    slot: timestamp.nullable().meta({ description: 'The scheduled time it was started for; null for other runs' }),
    prompt: z.string(),
    output: z.string().meta({ description: 'The answer; empty until it ends, and after a failure' }),
    error: z.string().nullable().meta({ description: 'Why it failed, human-readable' }),
    usage: z
      .object({ input_tokens: z.int(), output_tokens: z.int() })
      .meta({ id: 'ScheduleRunUsage', description: 'The tokens of its turn; 0 until it ends' }),
    started_at: timestamp.nullable().meta({ description: 'When its prompt was sent' }),
    completed_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({
    id: 'ScheduleRun',
    examples: [
      {
        id: EXAMPLE_ID,
        schedule_id: EXAMPLE_ID,
        org_id: EXAMPLE_ID,
        chat_id: EXAMPLE_ID,
        user_id: EXAMPLE_ID,
        status: 'completed',
        triggered_by: 'cron',
        slot: EXAMPLE_TIME,
        prompt: 'Write the report of last week.',
        output: 'Sales went up.',
        error: null,
        usage: { input_tokens: 431, output_tokens: 6 },
        started_at: EXAMPLE_TIME,
        completed_at: EXAMPLE_TIME,
        created_at: EXAMPLE_TIME,
      },
    ],
  });

export const scheduleRunDetailsSchema = scheduleRunSchema
  .extend({ deliveries: z.array(runDeliverySchema).meta({ description: 'The reports of the run' }) })
  .meta({ id: 'ScheduleRunDetails' });
