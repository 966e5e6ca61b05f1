import type { Holding } from '../../../domain/core/keyed-semaphore.ts';
import { ProviderFailure, type RenderedTranscript, type TranscriptReader } from '../../llm/index.ts';
import { type AttachmentDeps, type NamedFiles, readAttachments } from './attachments.ts';
import { type ConversationDeps, useConversation } from './conversation.ts';
import type { Prompt } from './prompt.ts';
import type { StepAttempt } from '../ask/step-attempt.ts';

export interface TranscriptDeps extends ConversationDeps, AttachmentDeps {}

/** What a transcript is rendered from. */
export interface TranscriptParts {
  readonly prompt: Prompt;
  readonly files: NamedFiles;
}

/** The transcript of a call, rendered for each request that is made of it, once there is room for it in memory. */
export class TurnTranscript implements TranscriptReader {
  readonly #deps: TranscriptDeps;
  readonly #attempt: StepAttempt;
  readonly #parts: TranscriptParts;
  readonly #stop: AbortSignal;
  #holding: Holding | undefined;
  /** Why it could not be read, which is no failure of the provider. */
  failure: unknown;

  constructor(deps: TranscriptDeps, attempt: StepAttempt, parts: TranscriptParts, stop: AbortSignal) {
    this.#deps = deps;
    this.#attempt = attempt;
    this.#parts = parts;
    this.#stop = stop;
  }

  async read<T>(build: (transcript: RenderedTranscript) => T, sizeOf: (built: T) => number = () => 0): Promise<T> {
    this.release();
    const { prompt, files } = this.#parts;
    const { orgId } = this.#attempt.ref;
    try {
      const { result, holding } = await useConversation(
        this.#deps,
        this.#attempt,
        {
          bytesOfFiles: files.heapBytes,
          use: async (readHistory) => {
            const attachments = await readAttachments(this.#deps, orgId, files, this.#stop);
            return build(prompt.render(await readHistory(), attachments));
          },
          sizeOf,
        },
        this.#stop,
      );
      this.#holding = holding;
      return result;
    } catch (error) {
      if (!(error instanceof ProviderFailure)) this.failure = error;
      throw error;
    }
  }

  release(): void {
    this.#holding?.reduceTo(0);
  }
}
