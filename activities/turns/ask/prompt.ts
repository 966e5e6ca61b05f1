import type { Carried } from '../../../db/prompts/index.ts';
import type { ClaimedTurn } from '../../../db/turns/index.ts';
import { describeProjectStates } from '../../../domain/project-context/index.ts';
import { systemPrompt } from '../../../domain/prompts/index.ts';
import {
  type Attachments,
  buildTranscript,
  estimateToolTokens,
  estimateTranscriptTokens,
  type ModelMessage,
  type ToolDefinition,
} from '../../../domain/transcripts/index.ts';
import type { TakenFences } from './reply-reader.ts';
import type { Toolset } from '../../tools/index.ts';

interface Target {
  readonly windowTokens: number;
  readonly takesTools: boolean;
  readonly takesImages: boolean;
  /** False for a model that calls no tools of ours in any way. */
  readonly offersTools: boolean;
}

/** The input of a model for a step: rendered for each model that is called, since windows and formats differ. */
export class Prompt {
  readonly #turn: ClaimedTurn;
  readonly #carried: Carried;
  readonly #tools: readonly ToolDefinition[];
  readonly #fencedKeys: ReadonlySet<string>;
  readonly #instructions: readonly string[];
  readonly #attachments: Attachments;
  #isFenced = false;
  #hasTools = true;
  #messages: readonly ModelMessage[] = [];

  /**
   * `carried`: what the agent brings into its system prompt; `instructions`: the toolset's part of it; `attachments`:
   * the files that the messages name.
   */
  constructor(
    turn: ClaimedTurn,
    carried: Carried,
    toolset: Toolset,
    instructions: readonly string[],
    attachments: Attachments,
  ) {
    this.#turn = turn;
    this.#carried = carried;
    this.#tools = toolset.offered();
    this.#fencedKeys = toolset.fencedKeys();
    this.#instructions = instructions;
    this.#attachments = attachments;
  }

  /** Whether it was last rendered with the tools in its text. */
  get isFenced(): boolean {
    return this.#isFenced;
  }

  /** The fences that count as calls, as it was last rendered. */
  get takenFences(): TakenFences {
    if (!this.#hasTools) return new Set();
    return this.#isFenced ? 'all' : this.#fencedKeys;
  }

  /** The estimated tokens of the last rendering. */
  get estimatedTokens(): number {
    return estimateTranscriptTokens(this.#messages);
  }

  /** The window into which half of what was last rendered fits, with the tools and an answer. */
  get halfWindowTokens(): number {
    const tools = this.#isFenced ? 0 : estimateToolTokens(this.#tools);
    return Math.floor(this.estimatedTokens / 2) + tools + this.#turn.agent.maxTokens;
  }

  render({ windowTokens, takesTools, takesImages, offersTools }: Target): {
    messages: readonly ModelMessage[];
    tools: readonly ToolDefinition[];
  } {
    const { agent, task, worksOn, history, memories, projects } = this.#turn;
    const form = takesTools ? 'native' : 'fenced';
    const tools = offersTools ? this.#tools : [];
    this.#hasTools = offersTools;
    this.#isFenced = !takesTools && offersTools;
    this.#messages = buildTranscript({
      systemPrompt: systemPrompt({
        ...this.#carried,
        projects: projects.told,
        memories,
        tools,
        form,
        instructions: offersTools ? this.#instructions : [],
      }),
      turns: history.turns,
      // The message of a task may hold the results of others.
      asker: task === null && worksOn === null ? 'user' : 'agent',
      preface: describeProjectStates(projects.told),
      firstIndex: history.firstIndex,
      windowTokens,
      maxTokens: agent.maxTokens,
      tools,
      form,
      attachments: this.#attachments,
      takesImages,
    });
    return { messages: this.#messages, tools: takesTools ? this.#nativeTools() : [] };
  }

  // Some providers reject a transcript with calls when no tools are given; an agent may have lost all it had.
  #nativeTools(): readonly ToolDefinition[] {
    if (this.#tools.length > 0) return this.#tools;
    const called = this.#messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
    return [...new Set(called.map(({ name }) => name))].map((name) => ({
      name,
      description: 'No longer available.',
      parameters: { type: 'object' },
    }));
  }
}
