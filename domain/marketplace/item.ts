import type { AgentType } from '../agents/index.ts';
import type { DefinitionContent, DefinitionKind } from '../definitions/index.ts';

/** What an item is above all; a bundle brings records of several kinds that belong together. */
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

/** What can be installed from the marketplace. */
export interface MarketplaceItem {
  readonly slug: string;
  readonly name: string;
  readonly kind: ItemKind;
  readonly version: string;
  readonly summary: string;
  readonly tags: readonly string[];
  /** What it expects of the model, in words. */
  readonly providers: readonly string[];
  readonly readme: string;
  readonly agents: readonly ItemAgent[];
  readonly definitions: readonly ItemDefinition[];
  /** All of its files, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** The address of the index that it comes from, or `builtin`. */
  readonly source: string;
}
