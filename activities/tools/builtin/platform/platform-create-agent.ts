import { z } from 'zod';
import { AGENT_TYPES } from '../../../../domain/agents.ts';
import { toFields } from '../../../../domain/core/record-names.ts';
import { nameText, text } from '../../../../domain/core/text.ts';
import type { MadeAgent } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { recordId } from '../parameters.ts';

const keys = z.array(nameText(100)).max(200);

const parameters = z.strictObject({
  agent_id: recordId.optional().describe('Id of the agent to change; left out for a new one.'),
  name: nameText().optional().describe('Its name. Required for a new one.'),
  description: text(5_000).optional().describe('What it is for. Other agents decide by it what they hand over to it.'),
  agent_type: z.enum(AGENT_TYPES).optional().describe('`custom` when left out.'),
  system_prompt: text(100_000).optional().describe('Its job, the steps, the form of the result, the limits.'),
  tools: keys.optional().describe('Keys of its tools, all of them; those of its persona when left out.'),
  skills: keys.optional().describe('Keys of its skills, all of them; those of its persona when left out.'),
  persona_id: recordId.optional().describe('Id of its persona.'),
  provider_chain_id: recordId.optional().describe('Id of the provider chain that its turns use.'),
});

/** Adds or changes an agent with the rights of the turn's user. A repeated call adds nothing. */
export const platformCreateAgent = defineTool({
  key: 'platform_create_agent',
  name: 'New agent',
  description:
    'Adds an agent to the organization, or changes one. It can get no tool or skill that the person you work for may not use. ' +
    'Look at what there is with `platform_inspect` first.',
  category: 'platform',
  onlyInChats: true,
  parameters,
  effect: 'keyed',
  approval: 'writes',
  timeoutSeconds: 30,
  inline: true,
  permission: 'agents',
  label: ({ agent_id: id, name }) => (id === undefined ? `New agent: ${name ?? ''}` : 'Changing an agent'),
  run: async (args, { agents, idempotencyKey, hasForeignText, isApproved }) => {
    // What it is told would be taken for instructions in all its conversations.
    if (hasForeignText && !isApproved)
      throw new ToolFailure(
        'denied',
        'You have read text from outside, so a person has to approve this call, and the settings of this agent say that it does not wait',
      );
    const { agentId, ...fields } = toFields(parameters, args);
    if (agentId !== undefined) return tell(await agents.update(agentId, fields));
    const { name } = fields;
    if (name === undefined) throw new ToolFailure('invalid_input', 'A new agent requires name');
    // Under the id of the call, so that a repeated call adds nothing.
    return tell(await agents.create(idempotencyKey, { ...fields, name }));
  },
});

function tell({ id, name, tools, skills, isActive, leftOut }: MadeAgent) {
  const value = { agent_id: id, name, tools, skills, is_active: isActive };
  return { value: leftOut.length === 0 ? value : { ...value, left_out: leftOut } };
}
