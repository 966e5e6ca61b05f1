import { z } from 'zod';
import { DEFAULT_PRIORITY } from '../../../../domain/priorities.ts';
import { TASK_STATUSES, taskText } from '../../../../domain/tasks.ts';
import type { ShownPlan, ToolContext, ToolSteps } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolOutput } from '../../tool.ts';
import { recordId } from '../parameters.ts';
import { presentShort, taskFields } from './tasks.ts';

const MAX_STEPS = 50;

const parameters = z.strictObject({
  goal: taskFields.title
    .optional()
    .describe('One line that says what is to be reached. Required for a new plan; renames one that plan_id names.'),
  steps: z
    .array(
      z.strictObject({
        ...taskFields,
        depends_on: z
          .array(z.int().min(1).max(MAX_STEPS))
          .max(MAX_STEPS)
          .optional()
          .describe('Numbers of the steps of this list that must be completed before, from 1.'),
      }),
    )
    .max(MAX_STEPS)
    .optional()
    .describe('The steps, in their order. They are added to the plan that plan_id names.'),
  plan_id: recordId.optional().describe('Id of the plan to read or to change; left out for a new one.'),
  step_id: recordId.optional().describe('Id of the step that status and result are of; goal renames it.'),
  status: z.enum(TASK_STATUSES).optional().describe('The new status of the step; of the plan without step_id.'),
  result: taskText().optional().describe('What has come out of the step, or of the plan.'),
});

type Arguments = z.output<typeof parameters>;

/** Writes, reads and revises a plan, a task with a part for each step. Repeating a call has no further effect. */
export const planCreate = defineTool({
  key: 'plan_create',
  name: 'Plan',
  description:
    'Creates a plan: a goal, and steps that may depend on others. Each step is a task of this chat; one with an agent starts automatically when the steps it depends on are completed. With plan_id it reads the plan, adds steps to it, or marks a step as done.',
  category: 'planning',
  onlyInChats: true,
  parameters,
  effect: 'keyed',
  timeoutSeconds: 30,
  inline: true,
  permission: 'tasks',
  label: ({ goal, plan_id: planId }) => (planId === undefined ? `Plan: ${(goal ?? '').slice(0, 80)}` : 'Plan'),
  run: async (args, context) =>
    outputOf(await (args.plan_id === undefined ? create(args, context) : revise(args.plan_id, args, context))),
});

async function create(args: Arguments, context: ToolContext): Promise<ShownPlan> {
  const { tasks, idempotencyKey, hasForeignText: isForeign } = context;
  const { goal, steps = [] } = args;
  if (goal === undefined || steps.length === 0)
    throw new ToolFailure('invalid_input', 'A new plan requires goal and steps');
  if ((args.step_id ?? args.status ?? args.result) !== undefined)
    throw new ToolFailure('invalid_input', 'step_id, status and result go with the plan_id of a plan');
  // Under the id of the call, so that a repeated call adds nothing.
  return tasks.createPlan(idempotencyKey, { goal, steps: stepsOf(steps), isForeign });
}

async function revise(planId: string, args: Arguments, context: ToolContext): Promise<ShownPlan> {
  const { tasks, idempotencyKey, hasForeignText: isForeign } = context;
  const { steps = [] } = args;
  await change(planId, args, context);
  if (steps.length === 0) return tasks.getPlan(planId);
  return tasks.addSteps(idempotencyKey, { planId, steps: stepsOf(steps), isForeign });
}

// Of the step that is named, else of the plan itself.
async function change(
  planId: string,
  args: Arguments,
  { tasks, hasForeignText: isForeign }: ToolContext,
): Promise<void> {
  const taskId = args.step_id ?? planId;
  if (taskId !== planId && (await tasks.get(taskId)).parentTaskId !== planId)
    throw new ToolFailure('not_found', 'The plan has no such step');
  const { goal: title, status, result: output } = args;
  if (title === undefined && status === undefined && output === undefined) return;
  await tasks.update(taskId, { title, status, output, isForeign });
}

function stepsOf(steps: NonNullable<Arguments['steps']>): ToolSteps {
  return steps.map(
    ({ title, description = '', assigned_agent_id: agent, priority = DEFAULT_PRIORITY, depends_on: needs = [] }) => {
      if (needs.some((number) => number > steps.length))
        throw new ToolFailure('invalid_input', `depends_on holds numbers of steps, from 1 to ${steps.length}`);
      return { title, description, agent, priority, dependsOn: needs.map((number) => number - 1) };
    },
  );
}

function outputOf({ plan, steps, total }: ShownPlan): ToolOutput {
  const { id: planId, title: goal, status, output } = plan;
  return {
    value: { plan_id: planId, goal, status, result: output, steps: steps.map(presentShort), total },
    isForeign: [plan, ...steps].some(({ isForeign }) => isForeign),
  };
}
