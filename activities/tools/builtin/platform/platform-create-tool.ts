import { z } from 'zod';
import { jsonObject } from '../../../../domain/core/text.ts';
import { MAX_FILE_BYTES, recordFields } from '../../../../domain/definitions/index.ts';
import { TOOL_CATEGORIES } from '../../../../domain/tools/index.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';

/** What the record says, and the definition need not repeat. */
const OF_RECORD: readonly string[] = ['key', 'name', 'description', 'category', 'version'];

const parameters = z.strictObject({
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

type Arguments = z.output<typeof parameters>;

/** Adds or replaces a tool of the organization with the rights of the turn's user. A repeated call adds nothing. */
export const platformCreateTool = defineTool({
  key: 'platform_create_tool',
  name: 'New tool',
  description:
    'Adds a tool to the organization, or replaces one of its own: a request to an address, or a JavaScript function. ' +
    'Answers what is still wrong with it. No agent has it until its key is among the tools of the agent.',
  category: 'platform',
  onlyInChats: true,
  parameters,
  effect: 'keyed',
  approval: 'writes',
  timeoutSeconds: 60,
  permission: 'tools',
  label: ({ key }) => `New tool: ${key}`,
  run: async (args, { tools, idempotencyKey, hasForeignText, isApproved }) => {
    // What it says would be taken for instructions, and what it does would be done for everybody.
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
