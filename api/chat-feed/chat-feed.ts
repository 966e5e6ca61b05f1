import { modelText } from '../../db/chats/index.ts';
import type { Database } from '../../db/core/index.ts';
import { type AnnouncedEvent, applyChunk, readPublishedText } from '../../db/stream/index.ts';
import { chatPosition, type EndedTurn, readTurnSteps } from '../../db/turns/index.ts';
import type { StepEvent } from '../../domain/events/index.ts';
import type { CursorPosition, Viewer } from '../context/chat-subscriptions.ts';
import { ToolCallTracker } from './tool-call-tracker.ts';
import { type StreamingText, ViewerCursor } from './viewer-cursor.ts';

interface Subscription {
  readonly viewer: Viewer;
  readonly cursor: ViewerCursor;
}

/** The known state of the running turn. */
interface RunningTurn extends StreamingText {
  readonly seq: number;
  readonly tracker: ToolCallTracker;
}

/** A turn, and its position in the chat. */
type TurnRef = Pick<RunningTurn, 'turnId' | 'seq'>;

/**
 * A part of a feed's state that events alone cannot settle: which turns have ended, the running turn's text, or its
 * steps.
 */
export type StalePart = 'ended turns' | 'text' | 'steps';

/** The steps of some turns, as read from their rows. */
export type StepsOfTurns = ReadonlyMap<string, readonly StepEvent[]>;

/** The number of events that wait while the feed reads the database; when there are more, it reads again instead. */
const MAX_WAITING_EVENTS = 1_000;

/**
 * The state of one chat in this process while somebody watches it: the running turn's text and steps so far, and the
 * turns that have ended. Events come from the worker and may be lost; the rows decide.
 */
export class ChatFeed {
  readonly #database: Database;
  readonly #orgId: string;
  readonly #chatId: string;
  readonly #viewers = new Set<Subscription>();
  #current: RunningTurn | undefined;
  // Part of the running turn may have been missed. Steps are not shown until it is read, because text may come before
  // them.
  #isBehind = false;
  #endedSeq = 0;
  #waiting: AnnouncedEvent[] | undefined = [];
  #hasDropped = false;

  constructor(database: Database, { orgId, chatId }: { orgId: string; chatId: string }) {
    this.#database = database;
    this.#orgId = orgId;
    this.#chatId = chatId;
  }

  get hasViewers(): boolean {
    return this.#viewers.size > 0;
  }

  /** Whether a turn is known to run; such a feed is polled more often. */
  get isActive(): boolean {
    return this.#current !== undefined;
  }

  /** Whether a step was shown without its end. */
  get hasOpenSteps(): boolean {
    return this.#current?.tracker.hasOpen ?? false;
  }

  /** The query for turns that ended after the last one that viewers were told of. */
  get progressQuery() {
    return { chatId: this.#chatId, afterSeq: this.#endedSeq };
  }

  /** The turn whose steps are to be read when they are stale. */
  get currentTurnId(): string | undefined {
    return this.#current?.turnId;
  }

  /** Returns the ended turns whose steps must be read before their end is told. */
  turnsWithSteps(turns: readonly EndedTurn[]): string[] {
    return turns.filter((turn) => turn.seq > this.#endedSeq && this.#tookSteps(turn)).map(({ id }) => id);
  }

  /** Reads the chat's state. Events wait until that is done. */
  async load(): Promise<readonly StalePart[]> {
    const { endedSeq, openTurn } = await this.#position();
    this.#endedSeq = endedSeq;
    if (openTurn !== undefined && (await this.#loadText(openTurn)) > 0) {
      const steps = await readTurnSteps(this.#database, [openTurn.turnId]);
      // Read after the steps, so that it holds all text that came before them.
      await this.#loadText(openTurn);
      this.#tellSteps(steps.get(openTurn.turnId) ?? []);
    }
    return this.#resume();
  }

  /**
   * Adds a viewer, who is shown at once the running turn's text so far and its open steps. Returns a function that
   * removes the viewer.
   */
  subscribe(viewer: Viewer, resumeFrom?: CursorPosition): () => void {
    const subscription = { viewer, cursor: new ViewerCursor(resumeFrom) };
    this.#viewers.add(subscription);
    const current = this.#current;
    if (current !== undefined) {
      show(subscription, current);
      for (const step of current.tracker.open) viewer.onStep(current.turnId, step);
    }
    return () => this.#viewers.delete(subscription);
  }

  /** Takes an event; returns the parts that it makes stale. */
  receive(event: AnnouncedEvent): readonly StalePart[] {
    if (this.#waiting !== undefined) return this.#keep(event, this.#waiting);
    if (event.turnSeq <= this.#endedSeq) return [];
    if (event.event?.type === 'turn_end') return ['ended turns'];
    // The turn before has ended: its viewers must be told that before they see anything of this one.
    if (event.afterSeq > this.#endedSeq) return this.#fallBehind('ended turns', 'text');
    return this.#apply(event);
  }

  /** Lets events wait until the running turn has been read again: some may have been lost. */
  suspend(): void {
    this.#isBehind = true;
    this.#waiting ??= [];
  }

  /** Tells the viewers of ended turns, in order; turns they already know of are skipped. */
  tellEnded(turns: readonly EndedTurn[], steps: StepsOfTurns): void {
    for (const turn of turns) {
      if (turn.seq <= this.#endedSeq) continue;
      this.#endedSeq = turn.seq;
      this.#tellRest(turn);
      this.#tellLastSteps(turn, steps.get(turn.id) ?? []);
      this.#current = undefined;
      for (const { viewer } of this.#viewers) viewer.onEnd(turn);
    }
  }

  /** Returns whether the steps that were read hold news, or were waited for. */
  needsSteps(steps: StepsOfTurns): boolean {
    if (this.#current === undefined) return false;
    return this.#isBehind || this.#current.tracker.hasNews(steps.get(this.#current.turnId) ?? []);
  }

  /**
   * Reads the running turn's text again after events may have been lost, and then shows the news among its steps, which
   * were read before: so text is shown before the steps that followed it.
   */
  async reload(steps: StepsOfTurns): Promise<readonly StalePart[]> {
    this.#waiting ??= [];
    try {
      const { endedSeq, openTurn } = await this.#position();
      // Ends come first; otherwise a turn's text would be shown before the end of the turn before it.
      if (endedSeq > this.#endedSeq) return [...this.#fallBehind('ended turns', 'text'), ...this.#resume()];
      this.#isBehind = openTurn !== undefined && !(await this.#catchUp(openTurn, steps));
    } catch (error) {
      this.#resume();
      throw error;
    }
    return this.#isBehind ? ['steps', ...this.#resume()] : this.#resume();
  }

  // Returns false when the turn has steps that must be read.
  async #catchUp(place: TurnRef, steps: StepsOfTurns): Promise<boolean> {
    if (place.seq <= this.#endedSeq) return true;
    const stepCount = await this.#loadText(place);
    const known = steps.get(place.turnId);
    if (known !== undefined) this.#tellSteps(known);
    return stepCount === 0 || known !== undefined;
  }

  #apply(event: AnnouncedEvent): readonly StalePart[] {
    const { event: said } = event;
    if (this.#current !== undefined && event.turnSeq < this.#current.seq) return [];
    if (said === null) return this.#fallBehind('text', 'steps');
    if (said.type === 'turn_end') return [];
    return said.type === 'chunk' ? this.#applyChunk(event, said) : this.#applyStep(event, said);
  }

  #applyChunk(
    { turnId, turnSeq, attempt }: AnnouncedEvent,
    chunk: { readonly offset: number; readonly text: string },
  ): readonly StalePart[] {
    const current = this.#current;
    if (current !== undefined && attempt < current.attempt) return [];
    const text = current?.turnId === turnId && current.attempt === attempt ? current.text : '';
    const next = applyChunk(text, chunk);
    if (next === undefined) return this.#fallBehind('text');
    this.#setText({ turnId, seq: turnSeq }, { attempt, text: next });
    return [];
  }

  #applyStep({ turnId, turnSeq }: AnnouncedEvent, step: StepEvent): readonly StalePart[] {
    if (this.#isBehind) return ['text', 'steps'];
    this.#current ??= { turnId, seq: turnSeq, attempt: 0, text: '', tracker: new ToolCallTracker(turnId) };
    return this.#tellStep(this.#current, step) ? [] : this.#fallBehind('steps');
  }

  #keep(event: AnnouncedEvent, waiting: AnnouncedEvent[]): readonly StalePart[] {
    if (waiting.length < MAX_WAITING_EVENTS) waiting.push(event);
    else this.#hasDropped = true;
    return [];
  }

  #fallBehind(...stale: readonly StalePart[]): readonly StalePart[] {
    this.#isBehind = true;
    return stale;
  }

  async #position(): Promise<{ endedSeq: number; openTurn: TurnRef | undefined }> {
    const place = { orgId: this.#orgId, chatId: this.#chatId };
    const { endedSeq, openTurn } = await chatPosition(this.#database, place);
    return { endedSeq, openTurn: openTurn === null ? undefined : { turnId: openTurn.id, seq: openTurn.seq } };
  }

  // Returns how many steps of the turn are stored.
  async #loadText(place: TurnRef): Promise<number> {
    const { attempt, text, stepCount } = await readPublishedText(this.#database, this.#orgId, place.turnId);
    const current = this.#current;
    const isKnown =
      current?.turnId === place.turnId && (attempt < current.attempt || isNoLonger({ attempt, text }, current));
    if (!isKnown) this.#setText(place, { attempt, text });
    return stepCount;
  }

  #setText({ turnId, seq }: TurnRef, said: { readonly attempt: number; readonly text: string }): void {
    const tracker = this.#current?.turnId === turnId ? this.#current.tracker : new ToolCallTracker(turnId);
    const current = { turnId, seq, tracker, ...said };
    this.#current = current;
    for (const subscription of this.#viewers) show(subscription, current);
  }

  #tellSteps(steps: readonly StepEvent[]): void {
    const current = this.#current;
    if (current === undefined) return;
    for (const step of steps) this.#tellStep(current, step);
  }

  // Returns false when something that comes before the step is unknown.
  #tellStep({ turnId, tracker }: Pick<RunningTurn, 'turnId' | 'tracker'>, step: StepEvent): boolean {
    const classification = tracker.take(step);
    if (classification === 'new') {
      for (const { viewer } of this.#viewers) viewer.onStep(turnId, step);
    }
    return classification !== 'early';
  }

  #tookSteps({ id, answer }: EndedTurn): boolean {
    const isTracked = this.#current?.turnId === id && !this.#current.tracker.isEmpty;
    return isTracked || Number(answer.metadata['tool_call_count']) > 0;
  }

  // Shows the text that the stream did not bring before the turn ended, so that the chunks add up to the stored answer.
  #tellRest({ id: turnId, answer }: EndedTurn): void {
    // A later attempt than any other: the shown text is compared with the stored one.
    const whole = { turnId, attempt: Number.POSITIVE_INFINITY, text: modelText(answer) };
    for (const subscription of this.#viewers) show(subscription, whole);
  }

  // Shows the steps that were missed, and an end for each open one.
  #tellLastSteps({ id: turnId }: EndedTurn, steps: readonly StepEvent[]): void {
    const tracker = this.#current?.turnId === turnId ? this.#current.tracker : new ToolCallTracker(turnId);
    for (const step of steps) this.#tellStep({ turnId, tracker }, step);
    for (const step of tracker.endsOfOpen()) this.#tellStep({ turnId, tracker }, step);
  }

  #resume(): readonly StalePart[] {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    const stale = waiting.flatMap((event) => this.receive(event));
    if (!this.#hasDropped) return stale;
    this.#hasDropped = false;
    return [...stale, ...this.#fallBehind('ended turns', 'text')];
  }
}

function isNoLonger(loaded: { attempt: number; text: string }, current: StreamingText): boolean {
  return loaded.attempt === current.attempt && loaded.text.length <= current.text.length;
}

function show({ viewer, cursor }: Subscription, text: StreamingText): void {
  const addition = cursor.advance(text);
  if (addition !== '' && cursor.position !== undefined) viewer.onChunk(addition, cursor.position);
}
