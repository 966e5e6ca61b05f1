import type { ClaimedTurn } from '../../db/turns/index.ts';
import type { Policy } from '../../domain/permissions/index.ts';
import type { ToolDefinition } from '../../domain/transcripts/index.ts';
import { holdsKeyFor } from './permission-key.ts';
import type { Tool } from './tool.ts';

/** For whom tools are looked up: the agent of a turn, and the user whom it works for. */
export interface ToolUser {
  readonly orgId: string;
  /** What the user may do now; null when they are no longer a member of the organization. */
  readonly policy: Policy | null;
  readonly agent: {
    readonly id: string;
    /** The keys of its tools that the policy lets be used. */
    readonly tools: readonly string[];
  };
  /** The turn whose model is asked; absent where a call that was planned is run. */
  readonly turn?: ClaimedTurn;
}

/** A tool as a source gives it, with what only a model needs to know. */
export interface SourcedTool extends Tool {
  /** Set for a tool that the model is not told of, though it may call it. */
  readonly isHidden?: boolean;
  /** Set for a tool whose fenced calls count also where the model calls tools natively. */
  readonly takesFences?: boolean;
  /** Returns what the system prompt says of it; '' for nothing. */
  instructions?(): Promise<string>;
}

/** Where tools come from: gives those that the user has of this kind. */
export type ToolSource = (user: ToolUser) => readonly SourcedTool[] | Promise<readonly SourcedTool[]>;

/** Puts together the toolset of a turn. */
export type ToolsetFor = (user: ToolUser) => Promise<Toolset>;

/** Composes sources. Of tools with the same key that of the first source counts. */
export function composeToolsets(sources: readonly ToolSource[]): ToolsetFor {
  return async (user) => {
    const tools = await Promise.all(sources.map(async (source) => source(user)));
    return new Toolset(tools.flat(), user.policy);
  };
}

/** The tools of a turn, wherever they come from: the only place where the turn engine looks for one. */
export class Toolset {
  readonly #policy: Policy | null;
  readonly #tools = new Map<string, SourcedTool>();

  constructor(tools: readonly SourcedTool[], policy: Policy | null) {
    this.#policy = policy;
    for (const tool of tools) if (!this.#tools.has(tool.key)) this.#tools.set(tool.key, tool);
  }

  /** Finds the tool of this key. */
  find(key: string): Tool | undefined {
    return this.#tools.get(key);
  }

  /** Lists the tools that the model is told of. */
  offered(): readonly ToolDefinition[] {
    return this.#offered.map(({ key, description, parameters }) => ({ name: key, description, parameters }));
  }

  /** Collects what the system prompt says of the tools that the model is told of. */
  async instructions(): Promise<readonly string[]> {
    const texts = await Promise.all(this.#offered.map(async (tool) => tool.instructions?.() ?? ''));
    return texts.filter((text) => text !== '');
  }

  /** Names the tools whose fenced calls count also where the model calls tools natively. */
  fencedKeys(): ReadonlySet<string> {
    return new Set([...this.#tools.values()].filter(({ takesFences }) => takesFences).map(({ key }) => key));
  }

  get #offered(): readonly SourcedTool[] {
    return [...this.#tools.values()].filter(
      (tool) => tool.isHidden !== true && holdsKeyFor(this.#policy, tool, 'read'),
    );
  }
}
