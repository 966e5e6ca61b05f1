import type { ClaimedTurn } from '../../db/turns/index.ts';
import type { Policy } from '../../domain/permissions/index.ts';
import type { ToolDefinition } from '../../domain/transcripts/index.ts';
import { holdsKeyFor } from './permission-key.ts';
import type { Tool } from './tool.ts';

/** The agent of a turn and the user it works for, for whom tools are looked up. */
export interface ToolUser {
  readonly orgId: string;
  /** The user's current policy; null when they are no longer a member of the organization. */
  readonly policy: Policy | null;
  readonly agent: {
    readonly id: string;
    /** The keys of its tools that the policy allows. */
    readonly tools: readonly string[];
    /** The keys of its skills that the policy allows. */
    readonly skills: readonly string[];
  };
  /** The turn whose model is called; absent when a planned call is run. */
  readonly turn?: ClaimedTurn;
}

/** A tool from a source, with what only a model needs to know. */
export interface SourcedTool extends Tool {
  /** Set for a tool that is not described to the model, which may call it anyway. */
  readonly isHidden?: boolean;
  /** Set for a tool whose fenced calls count also where the model calls tools natively. */
  readonly takesFences?: boolean;
  /** Returns the part of the system prompt about it; '' for none. */
  instructions?(): Promise<string>;
}

/** A source of tools: gives the user's tools of one kind. */
export type ToolSource = (user: ToolUser) => readonly SourcedTool[] | Promise<readonly SourcedTool[]>;

/** Composes the toolset of a turn. */
export type ToolsetFor = (user: ToolUser) => Promise<Toolset>;

/** Composes sources. When several give a tool with the same key, the first source wins. */
export function composeToolsets(sources: readonly ToolSource[]): ToolsetFor {
  return async (user) => {
    const tools = await Promise.all(sources.map(async (source) => source(user)));
    return new Toolset(tools.flat(), user.policy);
  };
}

/** The tools of a turn, from all sources: the only place where the turn engine looks one up. */
export class Toolset {
  readonly #policy: Policy | null;
  readonly #tools = new Map<string, SourcedTool>();

  constructor(tools: readonly SourcedTool[], policy: Policy | null) {
    this.#policy = policy;
    for (const tool of tools) if (!this.#tools.has(tool.key)) this.#tools.set(tool.key, tool);
  }

  /** Finds the tool with this key. */
  find(key: string): Tool | undefined {
    return this.#tools.get(key);
  }

  /** Lists the tools that are described to the model. */
  offered(): readonly ToolDefinition[] {
    return this.#offered.map(({ key, description, parameters }) => ({ name: key, description, parameters }));
  }

  /** Collects the parts of the system prompt about the offered tools. */
  async instructions(): Promise<readonly string[]> {
    const texts = await Promise.all(this.#offered.map(async (tool) => tool.instructions?.() ?? ''));
    return texts.filter((text) => text !== '');
  }

  /** Returns the keys of tools whose fenced calls count even where the model calls tools natively. */
  fencedKeys(): ReadonlySet<string> {
    return new Set([...this.#tools.values()].filter(({ takesFences }) => takesFences).map(({ key }) => key));
  }

  get #offered(): readonly SourcedTool[] {
    return [...this.#tools.values()].filter(
      (tool) => tool.isHidden !== true && holdsKeyFor(this.#policy, tool, 'read'),
    );
  }
}
