import type { AgentType } from './agents.ts';
import { entriesOf } from './core/objects.ts';
import type { DefinitionContent, DefinitionKind } from './definitions/definition.ts';
import type { DestinationKind } from './destinations.ts';

/** The main kind of an item; a bundle contains records of several kinds that belong together. */
export const ITEM_KINDS = ['agent', 'skill', 'tool', 'persona', 'bundle'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** A tool, skill or persona that an item installs. */
export interface ItemDefinition {
  readonly kind: DefinitionKind;
  readonly content: DefinitionContent;
}

/** An agent that an item installs. */
export interface ItemAgent {
  /** Names it within its item. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly agentType: AgentType;
  readonly systemPrompt: string;
  readonly soul: Readonly<Record<string, unknown>>;
  readonly tools: readonly string[];
  readonly skills: readonly string[];
  /** The key of its persona. */
  readonly persona: string | null;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly maxSubagents: number;
  readonly maxConcurrency: number;
}

/** An item that can be installed from the marketplace. */
export interface MarketplaceItem {
  readonly slug: string;
  readonly name: string;
  readonly kind: ItemKind;
  readonly version: string;
  readonly summary: string;
  readonly tags: readonly string[];
  /** What it requires of the model, in words. */
  readonly providers: readonly string[];
  /** The kinds of destinations that its reports need. */
  readonly destinations: readonly DestinationKind[];
  readonly readme: string;
  readonly agents: readonly ItemAgent[];
  readonly definitions: readonly ItemDefinition[];
  /** All of its files, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** The address of the index that it comes from, or `builtin`. */
  readonly source: string;
}

/** The requirements of an item beyond its own records. */
interface ItemNeeds {
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

/** A version by Semantic Versioning, without build metadata: `1.4.0`, `2.0.0-beta.1`. */
export const VERSION = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})(-[0-9A-Za-z.-]{1,40})?$/;

/** Returns whether a version is newer than another one; one with a suffix is older than the same without. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)];
  const differing = a.numbers.findIndex((number, index) => number !== b.numbers[index]);
  if (differing !== -1) return (a.numbers[differing] ?? 0) > (b.numbers[differing] ?? 0);
  if (a.suffix === b.suffix) return false;
  return a.suffix === '' || (b.suffix !== '' && a.suffix > b.suffix);
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly suffix: string } {
  const [core = '', suffix = ''] = version.split(/-(.*)/s);
  return { numbers: core.split('.').map(Number), suffix };
}

/** The name of an item, as in `research-assistant`. */
export const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** An index of items that the operator has added; from `MARKETPLACE_INDEXES`. */
export interface MarketplaceIndex {
  /** Names it wherever it is shown: its address, without credentials and query. */
  readonly source: string;
  /** Where it is fetched, without credentials. */
  readonly url: string;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

/** An item of an index that is not offered. */
export interface RefusedItem {
  /** Its slug, or its position in the index. */
  readonly item: string;
  readonly reason: string;
}

/** The source of items that ship with the service. */
export const BUILTIN_SOURCE = 'builtin';

const MAX_INDEXES = 10;

/** Reads a comma-separated list of the addresses of indexes; throws what is wrong with one, without repeating it. */
export function parseMarketplaceIndexes(list: string): readonly MarketplaceIndex[] {
  const indexes = entriesOf(list).map(readIndex);
  if (indexes.length > MAX_INDEXES) throw new Error(`must not name more than ${MAX_INDEXES} indexes`);
  const sources = new Set(indexes.map(({ source }) => source));
  if (sources.size < indexes.length) throw new Error('names an index twice');
  return indexes;
}

function readIndex(text: string, at: number): MarketplaceIndex {
  const url = URL.parse(text);
  const name = `address ${at + 1}`;
  if (url === null) throw new Error(`${name} is not a valid URL`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new Error(`${name} must begin with https:// or http://`);
  const credentials = credentialsOf(url, name);
  url.username = '';
  url.password = '';
  url.hash = '';
  return { source: `${url.origin}${url.pathname}`, url: url.href, credentials };
}

function credentialsOf({ username, password }: URL, name: string): MarketplaceIndex['credentials'] {
  if (username === '' && password === '') return undefined;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw new Error(`${name} has credentials in which % is not followed by two hexadecimal digits`);
  }
}
