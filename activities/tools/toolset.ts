import type { ClaimedTurn } from '../../db/turns/claim/claimed-turn.ts';
import { cut } from '../../domain/core/text.ts';
import { type Policy, policyAllows } from '../../domain/permissions/policy.ts';
import type { Effect } from '../../domain/tool-calls/tool-call.ts';
import {
  askedTools,
  describeNamed,
  namesIn,
  splitOffer,
  TOOL_DESCRIBE,
  type ToolOffer,
} from '../../domain/tool-offer/split-offer.ts';
import type { ToolDefinition } from '../../domain/transcripts/model-message.ts';
import { jsonSchemaTool } from './runnable-tool.ts';
import type { CallError, CallPlan, Tool, ToolParameters } from './tool.ts';

/** The agent of a turn and the user it works for, for whom tools are looked up. */
interface ToolUser {
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
    return new Toolset(tools.flat(), user);
  };
}

/**
 * The tools of a turn, from all sources: the turn engine looks them up here only. Where there are many, some are
 * offered in full and the others by name, until the conversation asks for them (docs/tools.md).
 */
export class Toolset {
  readonly #policy: Policy | null;
  readonly #tools = new Map<string, SourcedTool>();
  readonly #offer: ToolOffer;
  /** The named tools that are described by now, in the order in which they came to be. */
  readonly #asked: readonly ToolDefinition[];

  constructor(tools: readonly SourcedTool[], { policy, agent, turn }: ToolUser) {
    this.#policy = policy;
    for (const tool of tools) if (!this.#tools.has(tool.key)) this.#tools.set(tool.key, tool);
    this.#offer = this.#splitOffer(agent.tools);
    const named = new Map(this.#offer.named.map((definition) => [definition.name, definition]));
    const asked = askedTools(turn?.history.turns ?? [], new Set(named.keys()));
    this.#asked = asked.flatMap((name) => named.get(name) ?? []);
  }

  /** Finds the tool with this key. */
  find(key: string): Tool | undefined {
    return this.#tools.get(key);
  }

  /**
   * Lists the tools that are described to the model. Those that a step adds come last, so that a provider can cache
   * what is before them.
   */
  offered(): readonly ToolDefinition[] {
    const { whole, named } = this.#offer;
    return named.length === 0 ? whole : [...whole, TOOL_DESCRIBE, ...this.#asked];
  }

  /** Returns the parameters of a tool that the model knows by its name alone; `undefined` for others. */
  parametersOfNamed(key: string): ToolParameters | undefined {
    if (this.#asked.some(({ name }) => name === key)) return undefined;
    return this.#offer.named.find(({ name }) => name === key)?.parameters;
  }

  /** Collects the parts of the system prompt about the offered tools. */
  async instructions(): Promise<readonly string[]> {
    const described = [...this.#offer.whole, ...this.#asked].flatMap(({ name }) => this.#tools.get(name) ?? []);
    const texts = await Promise.all(described.map(async (tool) => tool.instructions?.() ?? ''));
    return [...texts, describeNamed(this.#offer.named)].filter((text) => text !== '');
  }

  /** Returns the keys of tools whose fenced calls count even where the model calls tools natively. */
  fencedKeys(): ReadonlySet<string> {
    return new Set([...this.#tools.values()].filter(({ takesFences }) => takesFences).map(({ key }) => key));
  }

  #isOffered(key: string): boolean {
    return [...this.#offer.whole, ...this.#offer.named].some(({ name }) => name === key);
  }

  #splitOffer(agentTools: readonly string[]): ToolOffer {
    const visible = [...this.#tools.values()].filter(
      (tool) => tool.isHidden !== true && holdsKeyFor(this.#policy, tool, 'read'),
    );
    const tools = visible.map((tool) => ({ definition: definitionOf(tool), listedAs: tool.listedAs ?? tool.key }));
    // Where an organization has a tool of its own under that key, nothing could describe the others.
    if (this.#tools.has(TOOL_DESCRIBE.name)) return { whole: tools.map(({ definition }) => definition), named: [] };
    this.#tools.set(TOOL_DESCRIBE.name, { ...toolDescribe((name) => this.#isOffered(name)), isHidden: true });
    return splitOffer(tools, agentTools);
  }
}

function definitionOf({ key, description, parameters }: Tool): ToolDefinition {
  return { name: key, description, parameters };
}

/** Returns the permission key that a call of the tool with this effect requires; undefined for none. */
export function keyFor({ permission: area }: Pick<Tool, 'permission'>, effect: Effect) {
  return area === undefined ? undefined : (`${area}.${effect === 'read' ? 'view' : 'manage'}` as const);
}

/** Returns whether the user has the permission key that a call of the tool with this effect requires. */
export function holdsKeyFor(policy: Policy | null, tool: Pick<Tool, 'permission'>, effect: Effect): boolean {
  const key = keyFor(tool, effect);
  return key === undefined || (policy !== null && policyAllows(policy, key));
}

/** The most of an unknown name that is repeated, in characters. */
const MAX_NAME = 100;

const tool = jsonSchemaTool({
  key: TOOL_DESCRIBE.name,
  description: TOOL_DESCRIBE.description,
  parameters: TOOL_DESCRIBE.parameters,
  inline: true,
  effect: 'read',
  timeoutSeconds: 10,
  label: 'Looking at tools',
  // Its effect is that it was called: the offer follows from the calls of the conversation.
  run: async (args) => ({ value: `From now on you have these among your tools: ${namesIn(args).join(', ')}` }),
});

/**
 * Creates the tool by which a model requests the descriptions of tools that it knows by name. `isOffered` returns
 * whether there is one of a name.
 */
function toolDescribe(isOffered: (name: string) => boolean): Tool {
  return {
    ...tool,
    isAboutTools: true,
    plan: async (calls) => {
      const plans = await tool.plan(calls);
      return plans.map((plan, at) => ('error' in plan ? plan : planFor(plan, unknownIn(calls[at] ?? {}, isOffered))));
    },
  };
}

function unknownIn(args: Readonly<Record<string, unknown>>, isOffered: (name: string) => boolean): readonly string[] {
  return namesIn(args).filter((name) => !isOffered(name));
}

function planFor(plan: CallPlan, unknown: readonly string[]): CallPlan | CallError {
  if (unknown.length === 0) return plan;
  const names = unknown.map((name) => `"${cut(name, MAX_NAME)}"`).join(', ');
  return { error: { kind: 'not_found', message: `You have no tool ${names}; none was described` } };
}
