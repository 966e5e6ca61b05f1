import type { ClaimedTurn } from '../../../db/turns/index.ts';
import { systemPrompt } from '../../../domain/prompts/index.ts';
import {
  buildTranscript,
  estimateTranscriptTokens,
  type ModelMessage,
  type ToolDefinition,
} from '../../../domain/transcripts/index.ts';
import type { TakenFences } from './reply-reader.ts';
import type { Toolset } from '../../tools/index.ts';

interface Target {
  readonly windowTokens: number;
  readonly takesTools: boolean;
}

/** What a model is given for a step: rendered for each model that is asked, since windows and formats differ. */
export class Prompt {
  readonly #turn: ClaimedTurn;
  readonly #tools: readonly ToolDefinition[];
  readonly #fencedKeys: ReadonlySet<string>;
  readonly #instructions: readonly string[];
  #isFenced = false;
  #messages: readonly ModelMessage[] = [];

  /** `instructions`: what the toolset has to say of its tools. */
  constructor(turn: ClaimedTurn, toolset: Toolset, instructions: readonly string[]) {
    this.#turn = turn;
    this.#tools = toolset.offered();
    this.#fencedKeys = toolset.fencedKeys();
    this.#instructions = instructions;
  }

  /** Whether it was last rendered with the tools in its text. */
  get isFenced(): boolean {
    return this.#isFenced;
  }

  /** Which fences of the reply are calls, as it was last rendered. */
  get takenFences(): TakenFences {
    return this.#isFenced ? 'all' : this.#fencedKeys;
  }

  /** Tokens of what was last rendered, roughly. */
  get estimatedTokens(): number {
    return estimateTranscriptTokens(this.#messages);
  }

  render({ windowTokens, takesTools }: Target): {
    messages: readonly ModelMessage[];
    tools: readonly ToolDefinition[];
  } {
    const { agent, task, history } = this.#turn;
    const form = takesTools ? 'native' : 'fenced';
    this.#isFenced = !takesTools;
    this.#messages = buildTranscript({
      systemPrompt: systemPrompt({
        agentPrompt: agent.systemPrompt,
        tools: this.#tools,
        form,
        instructions: this.#instructions,
      }),
      turns: history.turns,
      asker: task === null ? 'user' : 'agent',
      firstIndex: history.firstIndex,
      windowTokens,
      maxTokens: agent.maxTokens,
      tools: this.#tools,
      form,
    });
    return { messages: this.#messages, tools: takesTools ? this.#nativeTools() : [] };
  }

  // Some providers refuse a transcript with calls when no tools are given; an agent may have lost all it had.
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
