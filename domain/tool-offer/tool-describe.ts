import type { ToolDefinition } from '../transcripts/index.ts';

/** The tool with which a model has others described, which it knows by their names. */
export const TOOL_DESCRIBE = {
  name: 'tool_describe',
  description: 'Describes tools of which you know only the names, with their arguments. Then call them yourself.',
  parameters: {
    type: 'object',
    properties: {
      names: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: 20,
        description: 'Names of the tools, all that you need.',
      },
    },
    required: ['names'],
    additionalProperties: false,
  },
} as const satisfies ToolDefinition;

/** Returns the names that a call of it asks for. */
export function namesIn(args: Readonly<Record<string, unknown>>): readonly string[] {
  const { names } = args;
  return Array.isArray(names) ? names.filter((each: unknown) => typeof each === 'string') : [];
}
