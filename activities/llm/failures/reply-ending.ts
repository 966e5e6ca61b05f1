import type { Ending } from '../model-adapter.ts';
import type { StreamedCall } from '../native-calls.ts';
import { toEnding } from './end-reason.ts';

/** What a streamed reply has said about its end. */
export class ReplyEnding {
  #ending: Ending | undefined;
  #hasContent = false;
  #hasContentAfterReason = false;
  #hasUsageOfAll = false;

  /** How the reply ends; undefined until it has said so. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Whether text or a call has come. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  /**
   * Whether only the usage can still follow. Some servers send a reason with chunks before the content, or with each
   * chunk of it: theirs does not tell when the reply ends.
   */
  get isNear(): boolean {
    const hasCome = this.#hasContent || this.#hasUsageOfAll;
    return this.#ending !== undefined && hasCome && !this.#hasContentAfterReason;
  }

  /** Notes that text or a part of a call has come. Comes before the reason of the same chunk. */
  sawContent(): void {
    this.#hasContent = true;
    this.#hasContentAfterReason ||= this.#ending !== undefined;
  }

  /** Notes that the usage of the whole reply has come, as it does at the end of one without content too. */
  sawUsageOfAll(): void {
    this.#hasUsageOfAll = true;
  }

  /**
   * Takes the provider's word for why the reply ends; returns whether it is one. Throws for one that says that it was
   * broken off.
   */
  takeReason(said: unknown): boolean {
    const ending = toEnding(said);
    this.#ending = ending ?? this.#ending;
    return ending !== undefined;
  }

  /** Takes a mark of the end, which needs no reason. With a call that is cut off it ends no reply. */
  takeMark(calls: readonly StreamedCall[]): void {
    if (calls.every((call) => call.arguments.isFinished)) this.#ending ??= { reason: 'done' };
  }
}
