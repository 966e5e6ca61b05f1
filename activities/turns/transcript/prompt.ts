import type { PromptDefinitions } from '../../../db/agent-prompts.ts';
import type { TurnHistory } from '../../../db/transcripts/for-turn.ts';
import type { ClaimedTurn } from '../../../db/turns/claim/claimed-turn.ts';
import { describeProjectStates } from '../../../domain/project-context/describe-projects.ts';
import { systemPrompt } from '../../../domain/prompts/system-prompt.ts';
import type { Attachments } from '../../../domain/transcripts/attachments.ts';
import { buildTranscript } from '../../../domain/transcripts/build-transcript.ts';
import {
  estimateToolTokens,
  estimateTranscriptTokens,
  type ModelMessage,
  type ToolDefinition,
} from '../../../domain/transcripts/model-message.ts';
import type { RenderedTranscript } from '../../llm/model-adapter.ts';
import type { TakenFences } from '../ask/reply-reader.ts';
import type { Toolset } from '../../tools/toolset.ts';

/** The model that a prompt is for. */
interface Target {
  readonly windowTokens: number;
  readonly takesTools: boolean;
  readonly takesImages: boolean;
  /** False for a model that calls no tools of ours in any way. */
  readonly offersTools: boolean;
}

/** The instruction of agents that answer in a channel, where nobody can open a link into the workspace. */
const LINKED_FILES =
  'A file of the workspace that your answer links to by its path, such as [the table](out/sales.csv), is sent with it.';

/**
 * The input of a model for a step. It is rendered for each request, since windows and formats differ, and keeps nothing
 * of the conversation.
 */
export class Prompt {
  readonly #turn: ClaimedTurn;
  readonly #definitions: PromptDefinitions;
  readonly #tools: readonly ToolDefinition[];
  readonly #fencedKeys: ReadonlySet<string>;
  readonly #instructions: readonly string[];
  #target: Target = { windowTokens: 0, takesTools: false, takesImages: false, offersTools: false };
  #estimatedTokens = 0;

  /** `definitions`: what the agent brings into its system prompt; `instructions`: the toolset's part of it. */
  constructor(turn: ClaimedTurn, definitions: PromptDefinitions, toolset: Toolset, instructions: readonly string[]) {
    this.#turn = turn;
    this.#definitions = definitions;
    this.#tools = toolset.offered();
    this.#fencedKeys = toolset.fencedKeys();
    this.#instructions = instructions;
  }

  /** Sets the model that it is rendered for from now on. */
  aimAt(target: Target): void {
    this.#target = target;
  }

  /** Whether it is rendered with the tools in its text. */
  get isFenced(): boolean {
    return !this.#target.takesTools && this.#target.offersTools;
  }

  /** The fences that count as calls. */
  get takenFences(): TakenFences {
    if (!this.#target.offersTools) return new Set();
    return this.isFenced ? 'all' : this.#fencedKeys;
  }

  /** The estimated tokens of the last rendering; 0 before the first. */
  get estimatedTokens(): number {
    return this.#estimatedTokens;
  }

  /** The window into which half of what was last rendered fits, with the tools and an answer. */
  get halfWindowTokens(): number {
    const tools = this.isFenced ? 0 : estimateToolTokens(this.#tools);
    return Math.floor(this.#estimatedTokens / 2) + tools + this.#turn.agent.maxTokens;
  }

  render(history: TurnHistory, attachments: Attachments): RenderedTranscript {
    const { agent, task, worksOn, memories, projects, isOfThread } = this.#turn;
    const { windowTokens, takesTools, takesImages, offersTools } = this.#target;
    const form = takesTools ? 'native' : 'fenced';
    const tools = offersTools ? this.#tools : [];
    const messages = buildTranscript({
      systemPrompt: systemPrompt({
        ...this.#definitions,
        projects: projects.described,
        memories,
        tools,
        form,
        instructions: [...(offersTools ? this.#instructions : []), ...(isOfThread ? [LINKED_FILES] : [])],
      }),
      turns: history.turns,
      // The message of a task may contain the results of others.
      asker: task === null && worksOn === null ? 'user' : 'agent',
      preface: describeProjectStates(projects.described),
      firstIndex: history.firstIndex,
      windowTokens,
      maxTokens: agent.maxTokens,
      tools,
      form,
      attachments,
      takesImages,
    });
    this.#estimatedTokens = estimateTranscriptTokens(messages);
    return { messages, tools: takesTools ? this.#nativeTools(messages) : [] };
  }

  // Some providers reject a transcript with calls when no tools are given; an agent may have lost all it had.
  #nativeTools(messages: readonly ModelMessage[]): readonly ToolDefinition[] {
    if (this.#tools.length > 0) return this.#tools;
    const called = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
    return [...new Set(called.map(({ name }) => name))].map((name) => ({
      name,
      description: 'No longer available.',
      parameters: { type: 'object' },
    }));
  }
}
