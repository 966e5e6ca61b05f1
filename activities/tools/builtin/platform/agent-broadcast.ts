import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { DEFAULT_PRIORITY } from '../../../../domain/priorities.ts';
import { isEnded, MAX_TASK_TEXT_CHARACTERS } from '../../../../domain/tasks.ts';
import { cut, toShowable } from '../../../../domain/core/text.ts';
import type { ShownPlan, ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { CallChanged, type CallDescription, NOTHING_ELSE, type ToolOutput } from '../../tool.ts';
import { recordId } from '../parameters.ts';

/** The agents that one message goes to at most. */
const MAX_AGENTS = 20;
/** The agents up to which nobody is asked: as many sub-agents as a turn may start unless its agent says otherwise. */
const UNASKED_AGENTS = 5;
const MAX_TITLE = 80;
/** The characters of each answer in the result; the rest is read with `task_update`. */
const MAX_ANSWER = 4_000;
const POLL_MS = 1_000;
const MAX_WAIT_SECONDS = 300;

const parameters = z.strictObject({
  message: z
    .string()
    .trim()
    .min(1)
    .max(MAX_TASK_TEXT_CHARACTERS)
    .describe('The message to each of them. They see nothing of this conversation.'),
  agent_ids: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(MAX_AGENTS)
    .optional()
    .describe('Names or ids of the agents.'),
  project_id: recordId.optional().describe('Instead of agent_ids: id of a project, for all its other agents.'),
  wait: z.boolean().optional().describe('Whether to wait for the answers; later ones are posted in the chat.'),
  timeout_s: z.int().min(1).max(MAX_WAIT_SECONDS).optional().describe('Seconds to wait at most; 60 when left out.'),
});

type Arguments = z.output<typeof parameters>;

/** Sends a message to several agents, as a plan with a task for each. A repeated call sends nothing twice. */
export const agentBroadcast = defineTool({
  key: 'agent_broadcast',
  name: 'Message to several agents',
  description:
    'Sends one message to several agents, or to all agents of a project, and gathers their answers. Each works on it on its own, as a task of this chat. ' +
    'To give each of them other work, use `plan_create`.',
  category: 'platform',
  onlyInChats: true,
  parameters,
  effect: 'keyed',
  approval: 'writes',
  timeoutSeconds: MAX_WAIT_SECONDS + 30,
  permission: 'tasks',
  approvalOf: ({ agent_ids: ids }) => (ids !== undefined && ids.length <= UNASKED_AGENTS ? 'never' : 'writes'),
  label: ({ message }) => `Message to agents: ${titleOf(message)}`,
  describe: async (args, context) =>
    args.project_id === undefined ? NOTHING_ELSE : describeAgents(await agentsOf(args, context)),
  run: async (args, context, approvedBasis) => {
    const plan = await send(args, context, approvedBasis);
    return outputOf(args.wait === true ? await untilEnd(plan, args, context) : plan);
  },
});

async function send(args: Arguments, context: ToolContext, approvedBasis: unknown): Promise<ShownPlan> {
  const { hasForeignText: isForeign, broadcasts } = context;
  if (!broadcasts.mayBroadcast)
    throw new ToolFailure('denied', 'You work for another agent, so you cannot send messages to several. Answer it');
  const agents = await agentsOf(args, context);
  const description = describeAgents(agents);
  if (
    approvedBasis !== undefined &&
    args.project_id !== undefined &&
    !isDeepStrictEqual(description.basis, approvedBasis)
  )
    throw new CallChanged(description);
  const { message } = args;
  const title = titleOf(message);
  const step = { title, description: message, priority: DEFAULT_PRIORITY, dependsOn: [] };
  const steps = agents.map(({ id: agent }) => ({ ...step, agent }));
  return broadcasts.send({ goal: title, steps, isForeign }, args);
}

async function agentsOf({ agent_ids: ids, project_id: projectId }: Arguments, { broadcasts }: ToolContext) {
  if ((ids === undefined) === (projectId === undefined))
    throw new ToolFailure('invalid_input', 'Exactly one of agent_ids and project_id is required');
  if (projectId === undefined) return [...new Set(ids)].map((id) => ({ id, name: id }));
  const agents = await broadcasts.listProjectAgents(projectId, MAX_AGENTS + 2);
  if (agents.length === 0) throw new ToolFailure('not_found', 'The project has no other agents that are active');
  if (agents.length > MAX_AGENTS)
    throw new ToolFailure('invalid_input', `The project has more than ${MAX_AGENTS} agents; name some in agent_ids`);
  return agents;
}

function describeAgents(agents: readonly { readonly id: string; readonly name: string }[]): CallDescription {
  const details = agents.map(({ name: value }) => ({ label: 'Agent', value }));
  return { details, basis: agents.map(({ id }) => id) };
}

// The answers arrive in the chat in any case: who waits no longer loses none.
async function untilEnd(sent: ShownPlan, { timeout_s: seconds = 60 }: Arguments, { tasks, signal }: ToolContext) {
  const until = Date.now() + seconds * 1000;
  let plan = sent;
  while (plan.steps.some(({ status }) => !isEnded(status)) && Date.now() < until) {
    await sleep(POLL_MS, undefined, { signal });
    plan = await tasks.getPlan(sent.plan.id);
  }
  return plan;
}

function titleOf(message: string): string {
  const [line = ''] = message.trim().split('\n', 1);
  return cut(toShowable(line), MAX_TITLE).trim();
}

function outputOf({ plan, steps }: ShownPlan): ToolOutput {
  const answers = steps.map(({ id: taskId, assignedAgentId, status, output, error }) => ({
    task_id: taskId,
    agent_id: assignedAgentId,
    status,
    answer: output === null ? null : cut(output, MAX_ANSWER),
    error,
  }));
  return { value: { plan_id: plan.id, answers }, isForeign: [plan, ...steps].some(({ isForeign }) => isForeign) };
}
