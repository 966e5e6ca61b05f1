import type { ToolDefinition } from '../transcripts/index.ts';

/** With more tools than this, models are given some of them whole, and the others by name. */
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

/** What of an agent's tools its models are given at first. */
export interface PlacedTools {
  /** In the order of the offer. */
  readonly whole: readonly ToolDefinition[];
  /** Those that only have their names told. */
  readonly named: readonly ToolDefinition[];
}

/**
 * Says which of an agent's tools are given whole: all, unless there are more than 40. Otherwise those that come by
 * themselves, and then in the order of the agent's list those that fit.
 */
export function placeTools(tools: readonly PlaceableTool[], agentTools: readonly string[]): PlacedTools {
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
