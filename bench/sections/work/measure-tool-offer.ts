import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { builtinTools } from '../../../builtin/index.ts';
import {
  describeNamed,
  type PlaceableTool,
  shortSchema,
  splitOffer,
  TOOL_DESCRIBE,
} from '../../../domain/tool-offer/split-offer.ts';
import type { ToolDefinition } from '../../../domain/transcripts/model-message.ts';
import { figure, printHeading, printRows } from '../../report/target.ts';
import type { SectionResult } from '../../section.ts';

/** Numbers of tools that an agent has; beyond the builtin ones they repeat those under other names. */
const COUNTS = [10, 20, 40, 41, 60, 100, 200];
/** Tools that a conversation has asked for. */
const ASKED = 5;

/** Counts and prints the tokens that the tools of an agent take in each request to a model, by how many it has. */
export async function measureToolOffer(): Promise<SectionResult> {
  const rows = COUNTS.map((count) => ({ count, ...tokensOf(count) }));
  const title = `${builtinTools.length} builtin tools: tokens that tools take in each request (o200k_base), by their number`;
  printHeading(title);
  printRows([
    ['tools', 'with whole schemas', 'with short schemas', 'as offered at first', `with ${ASKED} asked for`],
    ...rows.map(({ count, full, short, first, asked }) =>
      [count, full, short, first, asked].map((value) => figure(value, 0)),
    ),
  ]);
  const offered = (wanted: number) => rows.find(({ count }) => count === wanted)?.first ?? Number.NaN;
  return {
    targets: [
      { name: 'tokens of 40 tools', measured: offered(40), bound: 10_000, better: 'less', unit: 'tokens' },
      { name: 'tokens of 60 tools, at first', measured: offered(60), bound: 7_000, better: 'less', unit: 'tokens' },
    ],
  };
}

function tokensOf(count: number) {
  const tools = Array.from({ length: count }, (_, at) => toolAt(at));
  const short = tools.map(({ definition }) => ({ ...definition, parameters: shortSchema(definition.parameters) }));
  const placeable = short.map((definition): PlaceableTool => ({ definition, listedAs: definition.name }));
  const names = short.map(({ name }) => name);
  const { whole, named } = splitOffer(placeable, names);
  const offer = named.length === 0 ? whole : [...whole, TOOL_DESCRIBE];
  const list = countTokens(describeNamed(named));
  return {
    full: tokensOfTools(tools.map(({ definition }) => definition)),
    short: tokensOfTools(short),
    first: tokensOfTools(offer) + list,
    asked: tokensOfTools([...offer, ...named.slice(0, ASKED)]) + list,
  };
}

function toolAt(at: number): { readonly definition: ToolDefinition } {
  const tool = builtinTools[at % builtinTools.length];
  if (tool === undefined) throw new Error('there are no builtin tools');
  const round = Math.floor(at / builtinTools.length);
  const { key, description, parameters } = tool;
  return { definition: { name: round === 0 ? key : `${key}_${round}`, description, parameters } };
}

// As they stand in a request of the OpenAI format.
function tokensOfTools(tools: readonly ToolDefinition[]): number {
  return countTokens(JSON.stringify(tools.map((tool) => ({ type: 'function', function: tool }))));
}
