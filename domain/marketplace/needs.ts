import type { MarketplaceItem } from './item.ts';

/** What an item relies on beside what it brings. */
export interface ItemNeeds {
  /** Keys of tools and skills, sorted. */
  readonly tools: readonly string[];
  readonly skills: readonly string[];
  /** The names of the integrations whose credentials its tools use. */
  readonly credentials: readonly string[];
}

/** Returns what an item relies on, as its agents, personas and tools say. */
export function needsOf({ agents, definitions }: MarketplaceItem): ItemNeeds {
  const personas = definitions.flatMap(({ content }) => content.persona ?? []);
  const brought = (kind: 'tool' | 'skill') =>
    new Set(definitions.filter((each) => each.kind === kind).map(({ content }) => content.key));
  const tools = [...agents.flatMap((agent) => agent.tools), ...personas.flatMap((persona) => persona.defaultTools)];
  const skills = [...agents.flatMap((agent) => agent.skills), ...personas.flatMap((persona) => persona.defaultSkills)];
  return {
    tools: without(tools, brought('tool')),
    skills: without(skills, brought('skill')),
    credentials: without(
      definitions.flatMap(({ content }) => integrationOf(content.files)),
      new Set(),
    ),
  };
}

function without(keys: readonly string[], brought: ReadonlySet<string>): string[] {
  return [...new Set(keys)].filter((key) => !brought.has(key)).toSorted();
}

function integrationOf(files: ReadonlyMap<string, string>): string[] {
  const text = files.get('tool.json');
  if (text === undefined) return [];
  // It was read before, as a JSON object.
  const { integration } = JSON.parse(text) as { readonly integration?: unknown };
  return typeof integration === 'string' ? [integration] : [];
}
