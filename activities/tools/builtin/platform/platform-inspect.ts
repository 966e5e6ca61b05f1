import { z } from 'zod';
import { PLATFORM_KINDS, type InspectedRecord, type ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import type { ToolOutput } from '../../tool.ts';
import { recordId } from '../parameters.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 50;
/** The characters of a text in a list; with `id` the text is complete. */
const MAX_EXCERPT = 300;

const parameters = z.strictObject({
  kind: z.enum([...PLATFORM_KINDS, 'usage']).describe('What to inspect. `usage`: what your user has used so far.'),
  id: recordId.optional().describe('Shows this one whole.'),
  query: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Lists those whose name, key or description contains this text.'),
  limit: z.int().min(1).max(MAX_LIMIT).optional().describe(`How many to list; ${DEFAULT_LIMIT} when left out.`),
});

type Arguments = z.output<typeof parameters>;

/** Lists and reads what there is on the platform, as far as the turn's user may see it. Nothing of it is secret. */
export const platformInspect = defineTool({
  key: 'platform_inspect',
  name: 'Inspect the platform',
  description:
    'Lists or reads what this platform has: agents, tools, skills, personas, projects, workflows, schedules, provider accounts and chains, as far as the person you work for may see them. ' +
    'Use it to find ids, and before you add anything.',
  category: 'platform',
  parameters,
  effect: 'read',
  timeoutSeconds: 30,
  inline: true,
  label: ({ kind }) => `Looking at ${kind.replace('_', ' ')}`,
  run: async (args, { platform }) => {
    if (args.kind === 'usage') return { value: await platform.usage() };
    if (args.id !== undefined) return { value: await platform.get(args.kind, args.id) };
    return listed(await platform.list(args.kind), args);
  },
});

function listed(
  all: Awaited<ReturnType<ToolContext['platform']['list']>>,
  { kind, query, limit = DEFAULT_LIMIT }: Arguments,
): ToolOutput {
  const found = query === undefined ? all : all.filter((record) => mentions(record, query.toLowerCase()));
  return { value: { [kind]: found.slice(0, limit).map(short), total: found.length } };
}

function mentions(record: InspectedRecord, words: string): boolean {
  return [record.name, record.description, record['key']].some(
    (text) => typeof text === 'string' && text.toLowerCase().includes(words),
  );
}

function short(record: InspectedRecord): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => value !== '')
      .map(([field, value]) => [field, excerpt(value)]),
  );
}

function excerpt(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => (typeof each === 'object' ? short(each) : each));
  if (typeof value !== 'string' || value.length <= MAX_EXCERPT) return value;
  return `${value.slice(0, MAX_EXCERPT).toWellFormed()}…`;
}
