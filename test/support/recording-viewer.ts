import type { CursorPosition, Viewer } from '../../api/context/subscriptions.ts';
import type { EndedTurn } from '../../db/turns/progress/chat-progress.ts';
import type { StepEvent } from '../../domain/events.ts';

/** A step as a viewer was told of it, with the text that was shown before. */
interface ShownStep {
  readonly turnId: string;
  readonly step: StepEvent;
  readonly textBefore: string;
}

/** Notes what it is shown; refuses text and steps of a turn that has ended. */
export class RecordingViewer implements Viewer {
  readonly texts = new Map<string, string>();
  readonly ended: EndedTurn[] = [];
  readonly steps: ShownStep[] = [];
  readonly log: string[] = [];

  onChunk(text: string, { turnId }: CursorPosition): void {
    this.#rejectEnded(turnId);
    this.texts.set(turnId, (this.texts.get(turnId) ?? '') + text);
    this.log.push(`chunk ${turnId}`);
  }

  onStep(turnId: string, step: StepEvent): void {
    this.#rejectEnded(turnId);
    this.steps.push({ turnId, step, textBefore: this.texts.get(turnId) ?? '' });
    this.log.push(`step ${turnId}`);
  }

  onEnd(turn: EndedTurn): void {
    this.ended.push(turn);
    this.log.push(`end ${turn.id}`);
  }

  /** Returns the events that were shown of each step, in order. */
  typesOf(stepId: string): string[] {
    return this.steps.filter(({ step }) => step.stepId === stepId).map(({ step }) => step.type);
  }

  #rejectEnded(turnId: string): void {
    if (this.ended.some(({ id }) => id === turnId)) throw new Error(`told of a turn after its end: ${this.log.join()}`);
  }
}
