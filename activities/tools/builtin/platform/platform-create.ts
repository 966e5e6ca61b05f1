import { z } from 'zod';
import { AGENT_TYPES } from '../../../../domain/agents.ts';
import { toFields } from '../../../../domain/core/record-names.ts';
import { jsonObject, nameText, text } from '../../../../domain/core/text.ts';
import type { MadeAgent } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { recordId } from '../parameters.ts';
import { MAX_FILE_BYTES } from '../../../../domain/definitions/files.ts';
import { recordFields } from '../../../../domain/definitions/definition.ts';
import { TOOL_CATEGORIES } from '../../../../domain/tools/category.ts';

const keys = z.array(nameText(100)).max(200);

const agentParameters = z.strictObject({
  agent_id: recordId.optional().describe('Id of the agent to change; left out for a new one.'),
  name: nameText().optional().describe('Its name. Required for a new one.'),
  description: text(5_000)
    .optional()
    .describe('What it is for. Other agents read it when they decide what to delegate to it.'),
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
    'Check what exists with `platform_inspect` first.',
  category: 'platform',
  onlyInChats: true,
  parameters: agentParameters,
  effect: 'keyed',
  approval: 'writes',
  timeoutSeconds: 30,
  inline: true,
  permission: 'agents',
  label: ({ agent_id: id, name }) => (id === undefined ? `New agent: ${name ?? ''}` : 'Changing an agent'),
  run: async (args, { agents, idempotencyKey, hasForeignText, isApproved }) => {
    // These texts would be taken for instructions in all its conversations.
    if (hasForeignText && !isApproved)
      throw new ToolFailure(
        'denied',
        'You have read text from outside, so a person has to approve this call, and the settings of this agent say that it does not wait',
      );
    const { agentId, ...fields } = toFields(agentParameters, args);
    if (agentId !== undefined) return outputOf(await agents.update(agentId, fields));
    const { name } = fields;
    if (name === undefined) throw new ToolFailure('invalid_input', 'A new agent requires name');
    // Under the id of the call, so that a repeated call adds nothing.
    return outputOf(await agents.create(idempotencyKey, { ...fields, name }));
  },
});

function outputOf({ id, name, tools, skills, isActive, leftOut }: MadeAgent) {
  const value = { agent_id: id, name, tools, skills, is_active: isActive };
  return { value: leftOut.length === 0 ? value : { ...value, left_out: leftOut } };
}

/** Fields of the record, which the definition need not repeat. */
const OF_RECORD: readonly string[] = ['key', 'name', 'description', 'category', 'version'];

const toolParameters = z.strictObject({
  key: z
    .string()
    .min(1)
    .max(64)
    .describe('Its key: lower-case letters, digits and underscores. One there is, is replaced.'),
  name: recordFields.name.describe('Its name, for people.'),
  description: recordFields.description.min(1).describe('What it does and when to use it, for models.'),
  definition: jsonObject().describe(
    'Its tool.json: `parameters` (a JSON Schema object), `effect` (`read`, `keyed` or `once`), `runtime` (`http` or `javascript`), and `timeout_s`, `integration`, `requires_approval` where needed.',
  ),
  request: jsonObject()
    .optional()
    .describe(
      'For the runtime `http`, its http.json: `method`, `url`, `headers`, `body`, `result`, with `{{ argument }}` for values.',
    ),
  code: z
    .string()
    .max(MAX_FILE_BYTES)
    .optional()
    .describe('For the runtime `javascript`, its main.js: a module whose default export is the function of the tool.'),
  category: z.enum(TOOL_CATEGORIES).optional().describe('`custom` when left out for a new one.'),
});

type Arguments = z.output<typeof toolParameters>;

/** Adds or replaces a tool of the organization with the rights of the turn's user. A repeated call adds nothing. */
export const platformCreateTool = defineTool({
  key: 'platform_create_tool',
  name: 'New tool',
  description:
    'Adds a tool to the organization, or replaces one of its own: a request to an address, or a JavaScript function. ' +
    'Answers what is still wrong with it. No agent has it until its key is among the tools of the agent.',
  category: 'platform',
  onlyInChats: true,
  parameters: toolParameters,
  effect: 'keyed',
  approval: 'writes',
  timeoutSeconds: 60,
  permission: 'tools',
  label: ({ key }) => `New tool: ${key}`,
  run: async (args, { tools, idempotencyKey, hasForeignText, isApproved }) => {
    // Its text would be taken for instructions, and its code would run for everybody.
    if (hasForeignText && !isApproved)
      throw new ToolFailure(
        'denied',
        'You have read text from outside, so a person has to approve this call, and the settings of this agent say that it does not wait',
      );
    const { name, description, category } = args;
    const key = keyOf(args);
    const written = await tools.write(idempotencyKey, {
      key,
      name,
      description,
      ...(category !== undefined && { category }),
      files: filesOf(args),
    });
    const value = { tool_id: written.id, key, usable: written.problem === null };
    return { value: written.problem === null ? value : { ...value, problem: written.problem } };
  },
});

function keyOf({ key }: Arguments): string {
  const checked = recordFields.key.safeParse(key);
  if (checked.success) return checked.data;
  throw new ToolFailure('invalid_input', `key ${checked.error.issues[0]?.message ?? 'is not valid'}`);
}

function filesOf({ definition, request, code }: Arguments): ReadonlyMap<string, string> {
  const own = Object.entries(definition).filter(([field]) => !OF_RECORD.includes(field));
  return new Map([
    ['tool.json', written(Object.fromEntries(own))],
    ...(request === undefined ? [] : [['http.json', written(request)] as const]),
    ...(code === undefined ? [] : [['main.js', code] as const]),
  ]);
}

function written(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
