import { z } from 'zod';
import { nameText } from '../../../../domain/core/text.ts';
import { MAX_INTERVAL_MINUTES } from '../../../../domain/schedules/timing.ts';
import type { Schedule, ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolOutput } from '../../tool.ts';
import { recordId } from '../parameters.ts';

const MAX_LISTED = 50;
const MAX_PROMPT_CHARACTERS = 100_000;
/** The characters of a prompt in a list; `get` shows it whole. */
const MAX_EXCERPT = 200;

const parameters = z.strictObject({
  action: z
    .enum(['list', 'get', 'create', 'update', 'activate', 'deactivate', 'trigger', 'delete'])
    .describe(
      'What to do. All but `list` and `create` need schedule_id. `create` needs name, prompt and either cron_expr or interval_minutes. `trigger` runs it now.',
    ),
  schedule_id: recordId.optional().describe('Id of the schedule.'),
  name: nameText().optional().describe('One line that says what is done and when.'),
  cron_expr: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('A cron line with five fields, such as `0 9 * * 1-5`. In update it replaces an interval.'),
  interval_minutes: z
    .int()
    .min(1)
    .max(MAX_INTERVAL_MINUTES)
    .optional()
    .describe('Minutes between runs. In update it replaces a cron line.'),
  timezone: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('IANA time zone of the cron line, such as `Europe/Berlin`; `UTC` when left out.'),
  agent_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Name or id of the agent that works on each run; you when left out.'),
  prompt: z
    .string()
    .min(1)
    .max(MAX_PROMPT_CHARACTERS)
    .optional()
    .describe('The message to the agent at each run. It knows nothing of this conversation.'),
});

type Arguments = z.output<typeof parameters>;

const READS: readonly Arguments['action'][] = ['list', 'get'];
/** The actions that a person must approve: they decide what is done later, when nobody watches. */
const ASKS: readonly Arguments['action'][] = ['create', 'update', 'delete'];

/** Manages the schedules of the turn's user, with their rights. Repeating a change has no further effect. */
export const scheduleManage = defineTool({
  key: 'schedule_manage',
  name: 'Schedules',
  description:
    'Lists, reads, adds, changes, pauses, runs and deletes the schedules of the person you work for: messages that are sent to an agent automatically at certain times. ' +
    'List before you add, so that nothing is planned twice. Check a cron line with `time_now` first.',
  category: 'platform',
  onlyInChats: true,
  parameters,
  effect: 'keyed',
  approval: 'writes',
  timeoutSeconds: 30,
  inline: true,
  permission: 'schedules',
  effectOf: ({ action }) => (READS.includes(action) ? 'read' : 'keyed'),
  approvalOf: ({ action }) => (ASKS.includes(action) ? 'writes' : 'never'),
  label: ({ action }) => `Schedules: ${action}`,
  run: async (args, context) => ACTIONS[args.action](args, context),
});

const ACTIONS: Readonly<Record<Arguments['action'], (args: Arguments, context: ToolContext) => Promise<ToolOutput>>> = {
  list: async (_args, { schedules }) => {
    const { items, total } = await schedules.list(MAX_LISTED);
    return {
      value: { schedules: items.map(presentShort), total },
      isForeign: items.some(({ isForeign }) => isForeign),
    };
  },
  get: async (args, { schedules }) => outputOf(await schedules.get(idOf(args))),
  create: async (args, { schedules, idempotencyKey, hasForeignText: isForeign }) => {
    if ((args.cron_expr === undefined) === (args.interval_minutes === undefined))
      throw new ToolFailure(
        'invalid_input',
        'The action create requires exactly one of cron_expr and interval_minutes',
      );
    const fields = { ...changesOf(args), name: need(args, 'name'), prompt: need(args, 'prompt'), isForeign };
    // Under the id of the call, so that a repeated call adds nothing.
    return outputOf(await schedules.create(idempotencyKey, fields));
  },
  update: async (args, { schedules, hasForeignText: isForeign }) => {
    if (args.cron_expr !== undefined && args.interval_minutes !== undefined)
      throw new ToolFailure('invalid_input', 'The action update takes one of cron_expr and interval_minutes');
    const changes = {
      ...changesOf(args),
      ...(args.name !== undefined && { name: args.name }),
      ...(args.prompt !== undefined && { prompt: need(args, 'prompt'), isForeign }),
    };
    return outputOf(await schedules.update(idOf(args), changes));
  },
  activate: async (args, { schedules }) => outputOf(await schedules.setActive(idOf(args), true)),
  deactivate: async (args, { schedules }) => outputOf(await schedules.setActive(idOf(args), false)),
  trigger: async (args, { schedules, idempotencyKey }) => {
    const id = idOf(args);
    return { value: { schedule_id: id, run_id: await schedules.trigger(id, idempotencyKey) } };
  },
  delete: async (args, { schedules }) => {
    const id = idOf(args);
    try {
      await schedules.delete(id);
      return { value: { id, deleted: true } };
    } catch (error) {
      // A repeated call finds the change made.
      if (!(error instanceof ToolFailure) || error.kind !== 'not_found') throw error;
      return { value: { id, deleted: false, note: 'You have no schedule with this id' } };
    }
  },
};

function changesOf(args: Arguments) {
  const { agent_id: agent, cron_expr: cronExpr, interval_minutes: intervalMinutes, timezone } = args;
  return {
    ...(agent !== undefined && { agent }),
    ...(cronExpr !== undefined && { cronExpr }),
    ...(intervalMinutes !== undefined && { intervalMinutes }),
    ...(timezone !== undefined && { timezone }),
  };
}

function idOf({ action, schedule_id: id }: Arguments): string {
  if (id !== undefined) return id;
  throw new ToolFailure('invalid_input', `The action ${action} requires schedule_id`);
}

function need(args: Arguments, name: 'name' | 'prompt'): string {
  const value = args[name];
  if (value !== undefined && value.trim() !== '') return value;
  throw new ToolFailure('invalid_input', `The action ${args.action} requires ${name}`);
}

function outputOf(schedule: Schedule): ToolOutput {
  return { value: present(schedule), isForeign: schedule.isForeign };
}

function presentShort({ prompt, ...schedule }: Schedule) {
  const excerpt = prompt.length > MAX_EXCERPT ? `${prompt.slice(0, MAX_EXCERPT).toWellFormed()}…` : prompt;
  return present({ ...schedule, prompt: excerpt });
}

function present(schedule: Schedule) {
  return {
    id: schedule.id,
    name: schedule.name,
    prompt: schedule.prompt,
    agent_id: schedule.agentId,
    cron_expr: schedule.cronExpr,
    interval_minutes: schedule.intervalMinutes,
    timezone: schedule.timezone,
    is_active: schedule.isActive,
    pause_reason: schedule.pauseReason,
    next_run_at: schedule.nextRunAt?.toISOString() ?? null,
  };
}
