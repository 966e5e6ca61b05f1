import { z } from 'zod';
import { nameText, text } from '../core/text.ts';
import { AGENT_SPAWN } from '../tool-calls/index.ts';
import type { ToolDefinition } from '../transcripts/index.ts';

const MAX_TASK_CHARACTERS = 50_000;

const spawnSchema = z.strictObject({
  agent: nameText().describe('Name or id of the agent that is to do the work.'),
  task: text(MAX_TASK_CHARACTERS)
    .trim()
    .min(1)
    .describe('What it is to do, complete in itself: it sees nothing of this conversation.'),
  title: nameText().optional().describe('A few words that say what the work is about.'),
  context: text(MAX_TASK_CHARACTERS).optional().describe('What else it has to know, such as facts and results so far.'),
});

/** Work that is handed to a sub-agent. */
export type SpawnRequest = z.output<typeof spawnSchema>;

/** The tool `agent_spawn` as a model is told of it. */
export const agentSpawn: ToolDefinition = {
  name: AGENT_SPAWN,
  description:
    'Hands a piece of work to another agent and answers with what it found or did. ' +
    'Several calls in one reply work at the same time.',
  parameters: parametersOf(spawnSchema),
};

/** Returns the arguments of a call of `agent_spawn`, or what is wrong with them in words for the model. */
export function readSpawn(
  args: Readonly<Record<string, unknown>>,
): { readonly value: SpawnRequest } | { readonly issue: string } {
  const result = spawnSchema.safeParse(args);
  if (result.success) return { value: result.data };
  const issues = result.error.issues.map(({ path, message }) => [...path.map(String), message].join(': '));
  return { issue: `The arguments of ${AGENT_SPAWN} are not as they should be. ${issues.join('. ')}.` };
}

function parametersOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
  return parameters;
}
