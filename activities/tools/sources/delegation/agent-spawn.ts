import { z } from 'zod';
import { nameText, text } from '../../../../domain/core/text.ts';
import { AGENT_SPAWN } from '../../../../domain/tool-calls/index.ts';
import type { ToolDefinition } from '../../tool-definition.ts';

const MAX_TASK_CHARACTERS = 50_000;

const parameters = z.strictObject({
  agent: nameText().describe('Name or id of the agent that is to do the work.'),
  task: text(MAX_TASK_CHARACTERS)
    .trim()
    .min(1)
    .describe('What it is to do, complete in itself: it sees nothing of this conversation.'),
  title: nameText().optional().describe('A few words that say what the work is about.'),
  context: text(MAX_TASK_CHARACTERS).optional().describe('What else it has to know, such as facts and results so far.'),
});

/** Work that is handed to a sub-agent. */
export type SpawnArguments = z.output<typeof parameters>;

/** Hands work to a sub-agent, whose turn is the call. */
export const agentSpawn = {
  key: AGENT_SPAWN,
  name: 'Hand work to other agents',
  description:
    'Hands a piece of work to another agent and answers with what it found or did. ' +
    'Several calls in one reply work at the same time.',
  category: 'platform',
  parameters,
  effect: 'agent',
} as const satisfies ToolDefinition;
