import { isObject } from '../core/objects.ts';
import { plainLine } from '../core/text.ts';
import { defuseFences } from '../tool-calls/fence-line.ts';
import type { CallRecord, TurnRecord } from '../transcripts/render-turn.ts';
import type { ToolDefinition } from '../transcripts/model-message.ts';

/** Agents with more tools than this offer some in full, and the others by name. */
const MAX_WHOLE_OFFER = 40;

/** Those that are whole then, at most, and what they take together, in characters of their JSON. */
const MAX_WHOLE = 20;
const MAX_WHOLE_CHARACTERS = 30_000;

/** A tool that an agent has. */
export interface PlaceableTool {
  readonly definition: ToolDefinition;
  /** The key by which the agent lists it. */
  readonly listedAs: string;
}

/** Which of an agent's tools its models get at first. */
export interface ToolOffer {
  /** In the order of the offer. */
  readonly whole: readonly ToolDefinition[];
  /** Those of which models get only the names. */
  readonly named: readonly ToolDefinition[];
}

/**
 * Splits an agent's tools into those offered in full and those offered by name. All are offered in full unless there
 * are more than 40; then those that come by themselves, followed by as many as fit in the order of the agent's list.
 */
export function splitOffer(tools: readonly PlaceableTool[], agentTools: readonly string[]): ToolOffer {
  if (tools.length <= MAX_WHOLE_OFFER) return { whole: tools.map(({ definition }) => definition), named: [] };
  const whole: ToolDefinition[] = [];
  const named: ToolDefinition[] = [];
  let left = MAX_WHOLE_CHARACTERS;
  // Those that come by themselves are not in the list, and so come first.
  const ranked = tools.toSorted((a, b) => agentTools.indexOf(a.listedAs) - agentTools.indexOf(b.listedAs));
  for (const { definition } of ranked) {
    const size = JSON.stringify(definition).length;
    const fits = whole.length < MAX_WHOLE && size <= left;
    if (fits) left -= size;
    (fits ? whole : named).push(definition);
  }
  return { whole, named };
}

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

/** How many tools are described in addition to the first offer; a further one replaces the oldest. */
const MAX_ASKED = 40;

/**
 * Returns which of the named tools a conversation has asked for, or called, in the order in which it did so first. It
 * is derived from the stored calls alone, so every worker that continues the conversation offers the same.
 */
export function askedTools(turns: readonly TurnRecord[], named: ReadonlySet<string>): readonly string[] {
  const asked: string[] = [];
  for (const name of turns.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls.flatMap(namesOf)))) {
    if (!named.has(name) || asked.includes(name)) continue;
    asked.push(name);
    if (asked.length > MAX_ASKED) asked.shift();
  }
  return asked;
}

function namesOf({ name, status, arguments: args }: CallRecord): readonly string[] {
  if (name !== TOOL_DESCRIBE.name) return [name];
  return status === 'success' ? namesIn(args) : [];
}

/** The maximum length of a tool's description in the list of names, in characters. */
const MAX_LINE = 100;

const HOW_TO_USE = `# Further tools

You have the tools below too, but not their arguments yet. Before you use one, call ${TOOL_DESCRIBE.name} with its name, or with all that you need at once: from then on you have them like your other tools.
`;

/** Lists the tools that an agent has beside those offered in full; '' for none. */
export function describeNamed(named: readonly ToolDefinition[]): string {
  if (named.length === 0) return '';
  return [HOW_TO_USE, ...named.map(lineOf)].join('\n');
}

// Descriptions may be others' texts: they cannot leave their line.
function lineOf({ name, description }: ToolDefinition): string {
  const line = plainLine(description, MAX_LINE * 2);
  const [sentence = ''] = line.split(/(?<=[.!?])\s/, 1);
  return `- ${name}: ${defuseFences(plainLine(sentence, MAX_LINE))}`;
}

/** A JSON Schema, or a part of one. */
type Schema = Readonly<Record<string, unknown>>;

// Constraints that models hardly ever break. The call is validated by the whole schema, so the model learns of a
// violation.
const LEFT_OUT = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'maxProperties', 'pattern']);

/**
 * Returns the shortened JSON Schema of a builtin tool's arguments for models, which takes fewer tokens: names, types,
 * choices, upper bounds of numbers and descriptions stay; lengths, patterns and the ban of other properties go.
 */
export function shortSchema(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).flatMap(([keyword, value]) => shortened(keyword, value)));
}

function shortened(keyword: string, value: unknown): [string, unknown][] {
  if (LEFT_OUT.has(keyword) || (keyword === 'additionalProperties' && value === false)) return [];
  // Nobody counts or limits by less than one.
  if (keyword === 'minimum' && (value === 0 || value === 1)) return [];
  if (Array.isArray(value))
    return [[keyword, value.map((each: unknown) => (isObject(each) ? shortSchema(each) : each))]];
  if (!isObject(value)) return [[keyword, value]];
  if (keyword !== 'properties') return [[keyword, shortSchema(value)]];
  // Its keys are names of arguments, whatever they are.
  const named = Object.entries(value).map(([name, each]) => [name, isObject(each) ? shortSchema(each) : each]);
  return [[keyword, Object.fromEntries(named)]];
}
