import { z } from 'zod';
import { nameText, text } from '../../../../domain/core/text.ts';
import { AGENT_SPAWN } from '../../../../domain/tool-calls/index.ts';
import type { BuiltinDefinition } from '../../definition-files/builtin-definition.ts';

const MAX_TASK_CHARACTERS = 50_000;

const parameters = z.strictObject({
  agent: nameText().describe('Name or id of the agent that should do the work.'),
  task: text(MAX_TASK_CHARACTERS)
    .trim()
    .min(1)
    .describe('The task, complete in itself: the agent sees nothing of this conversation.'),
  title: nameText().optional().describe('A short title for the work.'),
  context: text(MAX_TASK_CHARACTERS)
    .optional()
    .describe('What else the agent has to know, such as facts and results so far.'),
  model_tags: z
    .array(nameText(50))
    .min(1)
    .max(10)
    .optional()
    .describe('Kinds of work, for which a model is chosen; without them the agent uses its own.'),
});

/** Work for a sub-agent. */
export type SpawnArguments = z.output<typeof parameters>;

/** Delegates work to a sub-agent, whose turn is the call. */
export const agentSpawn = {
  key: AGENT_SPAWN,
  name: 'Delegate work to other agents',
  description:
    'Delegates a piece of work to another agent and returns what it found or did. ' +
    'Several calls in one reply run at the same time.',
  category: 'platform',
  onlyInChats: true,
  parameters,
  effect: 'agent',
} as const satisfies BuiltinDefinition;
