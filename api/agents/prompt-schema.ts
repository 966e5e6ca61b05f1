import { z } from 'zod';
import { PROMPT_PARTS } from '../../domain/prompts/index.ts';
import { EXAMPLE_ID } from '../http/fields.ts';
import { idOf } from '../resources/id-fields.ts';

/** What is not of the system prompt: the open issues and tasks, which stand before the newest message. */
export const PROJECT_STATE = 'project_state';

const size = {
  characters: z.int(),
  estimated_tokens: z.int().meta({ description: 'An estimate on the safe side; models differ' }),
};

const part = z
  .object({
    name: z.enum([...PROMPT_PARTS, PROJECT_STATE]),
    text: z.string().nullable().meta({ description: 'The text; null when the caller may not view what it is made of' }),
    ...size,
  })
  .meta({ id: 'AgentPromptPart' });

const skill = z
  .object({
    key: z.string(),
    is_whole: z
      .boolean()
      .meta({ description: 'Whether it stands whole; others are named, and read with `skill_read`' }),
  })
  .meta({ id: 'AgentPromptSkill' });

const tool = z
  .object({
    name: z.string(),
    is_whole: z.boolean().meta({
      description: 'Whether it is described with its arguments; the others are named, and described by `tool_describe`',
    }),
    estimated_tokens: size.estimated_tokens,
  })
  .meta({ id: 'AgentPromptTool' });

export const agentPromptSchema = z
  .object({
    agent_id: z.uuid(),
    ...size,
    parts: z.array(part).meta({
      description:
        'The parts of the system prompt that say something, in their order, and then `project_state`, which stands before the newest message',
    }),
    skills: z.array(skill),
    tools: z.array(tool).meta({
      description:
        'The tools that go along with it: those that can be used, in the order in which a model is given them',
    }),
  })
  .meta({
    id: 'AgentPrompt',
    examples: [
      {
        agent_id: EXAMPLE_ID,
        characters: 22,
        estimated_tokens: 8,
        parts: [{ name: 'agent', text: 'You sort support mail.', characters: 22, estimated_tokens: 6 }],
        skills: [],
        tools: [{ name: 'time_now', is_whole: true, estimated_tokens: 321 }],
      },
    ],
  });

export const agentPromptQuery = z.strictObject({
  project_id: idOf('projects')
    .optional()
    .meta({ description: 'The project of the chat; without one it is a chat of no project' }),
});
