import { modelText } from '../../db/chats/messages.ts';
import type { AnnouncedEvent } from '../../db/stream/wire.ts';
import { newPartOf } from '../../db/stream/read-turn-events.ts';
import type { EndedTurn } from '../../db/turns/progress/chat-progress.ts';
import { TextBuffer } from '../../domain/core/text.ts';
import { type ApprovalEvent, isStart, type StepDone, type StepEvent, type StepStart } from '../../domain/events.ts';
import type { CursorPosition, Viewer } from '../context/subscriptions.ts';
import { type StreamingText, ViewerCursor } from './viewer-cursor.ts';

interface Subscription {
  readonly viewer: Viewer;
  readonly cursor: ViewerCursor;
}

/** The known state of the running turn. */
interface RunningTurn extends Omit<StreamingText, 'text'> {
  readonly seq: number;
  readonly text: TextBuffer;
  readonly tracker: ToolCallTracker;
}

/** A turn, and its position in the chat. */
export type TurnRef = Pick<RunningTurn, 'turnId' | 'seq'>;

/** The text that an attempt at a turn has produced. */
type AttemptText = Pick<StreamingText, 'attempt' | 'text'>;

/** A wait for a decision before a step of a run, which nobody has ended. */
interface OpenWait {
  readonly runId: string;
  readonly step: ApprovalEvent;
}

/** The running turn of a chat and its viewers, each of whom is shown each part of it once. */
export class LiveTurn {
  readonly #viewers = new Set<Subscription>();
  #current: RunningTurn | undefined;
  #wait: OpenWait | undefined;
  // The last wait that has ended: its begin may be announced again.
  #endedWaitId: string | undefined;

  get hasViewers(): boolean {
    return this.#viewers.size > 0;
  }

  /** The turn that is known to run. */
  get turn(): TurnRef | undefined {
    return this.#current;
  }

  /** Whether a step was shown without its end. */
  get hasOpenSteps(): boolean {
    return this.#current?.tracker.hasOpen ?? false;
  }

  /** Adds a viewer, who is shown the text so far and the open steps. Returns a function that removes the viewer. */
  subscribe(viewer: Viewer, resumeFrom?: CursorPosition): () => void {
    const subscription = { viewer, cursor: new ViewerCursor(resumeFrom) };
    this.#viewers.add(subscription);
    const current = this.#current;
    if (current !== undefined) {
      show(subscription, whole(current));
      for (const step of current.tracker.open) viewer.onStep(current.turnId, step);
    }
    if (this.#wait !== undefined) viewer.onStep(this.#wait.runId, this.#wait.step);
    return () => this.#viewers.delete(subscription);
  }

  /** Adds the text that was read of a turn, unless more is known. */
  takeText(turn: TurnRef, loaded: AttemptText): void {
    const current = this.#current;
    const isKnown =
      current?.turnId === turn.turnId && (loaded.attempt < current.attempt || isNoLonger(loaded, current));
    if (!isKnown) this.#setText(turn, loaded);
  }

  /** Adds a part of the text; returns false when the text before it is unknown. */
  takeChunk(
    { turnId, turnSeq, attempt }: AnnouncedEvent,
    chunk: { readonly offset: number; readonly text: string },
  ): boolean {
    const current = this.#current;
    if (current !== undefined && attempt < current.attempt) return true;
    const known = current?.turnId === turnId && current.attempt === attempt ? current : undefined;
    const addition = newPartOf(chunk, known?.text.length ?? 0);
    if (addition === undefined) return false;
    if (known === undefined) this.#setText({ turnId, seq: turnSeq }, { attempt, text: addition });
    else if (addition !== '') this.#extend(known, addition);
    return true;
  }

  /** Adds a step of a turn; returns false when the steps before it are unknown. */
  takeStep({ turnId, seq }: TurnRef, step: StepEvent): boolean {
    this.#current ??= { turnId, seq, attempt: 0, text: new TextBuffer(), tracker: new ToolCallTracker(turnId) };
    return this.#sendStep(this.#current, step);
  }

  /** Adds the start or the end of a wait for a decision before a step of a run, which belongs to no turn. */
  takeWait(runId: string, step: ApprovalEvent): void {
    const isOpen = this.#wait?.step.stepId === step.stepId;
    const isBegin = step.type === 'approval_requested';
    if (isBegin ? isOpen || this.#endedWaitId === step.stepId : !isOpen) return;
    this.#wait = isBegin ? { runId, step } : undefined;
    if (!isBegin) this.#endedWaitId = step.stepId;
    for (const { viewer } of this.#viewers) viewer.onStep(runId, step);
  }

  /** Adds the steps that were read of the running turn. */
  takeSteps(steps: readonly StepEvent[]): void {
    const current = this.#current;
    if (current === undefined) return;
    for (const step of steps) this.#sendStep(current, step);
  }

  /** Returns whether viewers have not yet seen some of the steps. */
  hasNews(steps: readonly StepEvent[]): boolean {
    return this.#current?.tracker.hasNews(steps) ?? false;
  }

  /** Returns whether an ended turn has taken steps. */
  tookSteps({ id, answer }: EndedTurn): boolean {
    const isTracked = this.#current?.turnId === id && !this.#current.tracker.isEmpty;
    return isTracked || Number(answer.metadata['tool_call_count']) > 0;
  }

  /** Shows what viewers have missed of a turn that has ended, and then its end. */
  end(turn: EndedTurn, steps: readonly StepEvent[]): void {
    this.#sendRest(turn);
    this.#sendLastSteps(turn, steps);
    this.#current = undefined;
    for (const { viewer } of this.#viewers) viewer.onEnd(turn);
  }

  #setText({ turnId, seq }: TurnRef, { attempt, text }: AttemptText): void {
    const buffer = new TextBuffer();
    buffer.add(text);
    this.#current = { turnId, seq, attempt, text: buffer, tracker: this.#trackerOf(turnId) };
    for (const subscription of this.#viewers) show(subscription, { turnId, attempt, text });
  }

  // Costs no more when the text is long: it is put together only for viewers who know something else.
  #extend(current: RunningTurn, addition: string): void {
    const { length } = current.text;
    current.text.add(addition);
    for (const subscription of this.#viewers) {
      const { viewer, cursor } = subscription;
      const position = cursor.follow(current, length, addition);
      if (position === undefined) show(subscription, whole(current));
      else viewer.onChunk(addition, position);
    }
  }

  #trackerOf(turnId: string): ToolCallTracker {
    return this.#current?.turnId === turnId ? this.#current.tracker : new ToolCallTracker(turnId);
  }

  // Returns false when something that comes before the step is unknown.
  #sendStep({ turnId, tracker }: Pick<RunningTurn, 'turnId' | 'tracker'>, step: StepEvent): boolean {
    const classification = tracker.take(step);
    if (classification === 'new') {
      for (const { viewer } of this.#viewers) viewer.onStep(turnId, step);
    }
    return classification !== 'early';
  }

  // Shows the text that the stream did not bring before the turn ended, so that the chunks add up to the stored answer.
  #sendRest({ id: turnId, answer }: EndedTurn): void {
    // A later attempt than any other: the shown text is compared with the stored one.
    const stored = { turnId, attempt: Number.POSITIVE_INFINITY, text: modelText(answer) };
    for (const subscription of this.#viewers) show(subscription, stored);
  }

  // Shows the steps that were missed, and an end for each open one.
  #sendLastSteps({ id: turnId }: EndedTurn, steps: readonly StepEvent[]): void {
    const tracker = this.#trackerOf(turnId);
    for (const step of steps) this.#sendStep({ turnId, tracker }, step);
    for (const step of tracker.endsOfOpen()) this.#sendStep({ turnId, tracker }, step);
  }
}

/** Returns the text as one string, which costs as much as it is long. */
function whole({ turnId, attempt, text: { text } }: RunningTurn): StreamingText {
  return { turnId, attempt, text };
}

function isNoLonger(loaded: AttemptText, current: RunningTurn): boolean {
  return loaded.attempt === current.attempt && loaded.text.length <= current.text.length;
}

function show({ viewer, cursor }: Subscription, text: StreamingText): void {
  const addition = cursor.advance(text);
  if (addition !== '' && cursor.position !== undefined) viewer.onChunk(addition, cursor.position);
}

/**
 * The relation of a step event to the known steps. `early`: the start of the step, or of the sub-agent that takes it,
 * is unknown.
 */
type Classification = 'new' | 'known' | 'early';

/** The number of steps of one turn that are shown; the rest is not. */
const MAX_STEPS = 5_000;

/** Tracks the steps of a running turn as its viewers know them. Each only moves forward: unknown, begun, done. */
class ToolCallTracker {
  // The event that began a step, while it is open; null when it is done.
  readonly #steps = new Map<string, StepStart | null>();
  // The turns of the agents whose steps may follow.
  readonly #agents: Set<string>;
  #openCount = 0;

  /** @param turnId the turn of the agent at the root. */
  constructor(turnId: string) {
    this.#agents = new Set([turnId]);
  }

  get isEmpty(): boolean {
    return this.#steps.size === 0;
  }

  get hasOpen(): boolean {
    return this.#openCount > 0;
  }

  /** The starts of the open steps, in order. */
  get open(): StepStart[] {
    return [...this.#steps.values()].filter((start) => start !== null);
  }

  /** Records the step if it is `new`, in which case it is to be shown. */
  take(step: StepEvent): Classification {
    const classification = this.#classify(step);
    if (classification === 'new') this.#note(step);
    return classification;
  }

  /** Returns whether any of the events is new; they are in order. */
  hasNews(steps: readonly StepEvent[]): boolean {
    return steps.some((step) => this.#classify(step) === 'new');
  }

  /** Returns an end for each open step, the last begun first, for a turn that is over: their outcome is unknown. */
  endsOfOpen(): StepDone[] {
    return this.open.toReversed().map(endOf);
  }

  #note(step: StepEvent): void {
    const isOpen = isStart(step);
    this.#steps.set(step.stepId, isOpen ? step : null);
    this.#openCount += isOpen ? 1 : -1;
    if (step.type === 'sub_agent_start') this.#agents.add(step.taskId);
  }

  #classify(step: StepEvent): Classification {
    const start = this.#steps.get(step.stepId);
    if (start === null) return 'known';
    if (start !== undefined) return isStart(step) ? 'known' : 'new';
    if (this.#steps.size >= MAX_STEPS) return 'known';
    return isStart(step) && this.#agents.has(callerOf(step)) ? 'new' : 'early';
  }
}

function callerOf(start: StepStart): string {
  return start.type === 'sub_agent_start' ? start.parentId : start.taskId;
}

function endOf(start: StepStart): StepDone {
  const { taskId, stepId } = start;
  if (start.type === 'step_start') return { type: 'step_done', taskId, stepId, status: 'unknown' };
  if (start.type === 'approval_requested') return { type: 'approval_decided', taskId, stepId, status: 'cancelled' };
  return {
    type: 'sub_agent_done',
    taskId,
    stepId,
    agentName: start.agentName,
    status: 'unknown',
    output: '',
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}
