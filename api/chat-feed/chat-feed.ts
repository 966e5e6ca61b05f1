import type { Database } from '../../db/core/database.ts';
import type { AnnouncedEvent } from '../../db/stream/wire.ts';
import { readPublishedText } from '../../db/stream/read-turn-events.ts';
import { chatPosition, type EndedTurn, stepWaitEvent } from '../../db/turns/progress/chat-progress.ts';
import { readTurnSteps } from '../../db/turns/progress/turn-steps.ts';
import type { StepEvent } from '../../domain/events.ts';
import type { CursorPosition, Viewer } from '../context/subscriptions.ts';
import { LiveTurn, type TurnRef } from './live-turn.ts';

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
  readonly #live = new LiveTurn();
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
    return this.#live.hasViewers;
  }

  /** Whether a turn is known to run; such a feed is polled more often. */
  get isActive(): boolean {
    return this.#live.turn !== undefined;
  }

  /** Whether a step was shown without its end. */
  get hasOpenSteps(): boolean {
    return this.#live.hasOpenSteps;
  }

  /** The query for turns that ended after the last one that was sent to viewers. */
  get progressQuery() {
    return { chatId: this.#chatId, afterSeq: this.#endedSeq };
  }

  /** The turn whose steps are to be read when they are stale. */
  get currentTurnId(): string | undefined {
    return this.#live.turn?.turnId;
  }

  /** Returns the ended turns whose steps must be read before their end is sent. */
  turnsWithSteps(turns: readonly EndedTurn[]): string[] {
    return turns.filter((turn) => turn.seq > this.#endedSeq && this.#live.tookSteps(turn)).map(({ id }) => id);
  }

  /** Reads the chat's state. Events wait until that is done. */
  async load(): Promise<readonly StalePart[]> {
    const { endedSeq, openTurn } = await this.#position();
    this.#endedSeq = endedSeq;
    if (openTurn !== undefined && (await this.#loadText(openTurn)) > 0) {
      const steps = await readTurnSteps(this.#database, [openTurn.turnId]);
      // Read after the steps, so that it contains all text that came before them.
      await this.#loadText(openTurn);
      this.#live.takeSteps(steps.get(openTurn.turnId) ?? []);
    }
    return this.#resume();
  }

  /**
   * Adds a viewer, who is shown at once the running turn's text so far and its open steps. Returns a function that
   * removes the viewer.
   */
  subscribe(viewer: Viewer, resumeFrom?: CursorPosition): () => void {
    return this.#live.subscribe(viewer, resumeFrom);
  }

  /** Handles an event; returns the parts that it makes stale. */
  receive(event: AnnouncedEvent): readonly StalePart[] {
    if (this.#waiting !== undefined) return this.#keep(event, this.#waiting);
    if (event.turnSeq === 0) return this.#takeWait(event);
    if (event.turnSeq <= this.#endedSeq) return [];
    if (event.event?.type === 'turn_end') return ['ended turns'];
    // The turn before has ended: viewers must get its end before they see anything of this one.
    if (event.afterSeq > this.#endedSeq) return this.#fallBehind('ended turns', 'text');
    return this.#apply(event);
  }

  /** Buffers events until the running turn has been read again: some may have been lost. */
  suspend(): void {
    this.#isBehind = true;
    this.#waiting ??= [];
  }

  /** Sends the ended turns to viewers, in order, skipping those already sent. */
  reportEnded(turns: readonly EndedTurn[], steps: StepsOfTurns): void {
    for (const turn of turns) {
      if (turn.seq <= this.#endedSeq) continue;
      this.#endedSeq = turn.seq;
      this.#live.end(turn, steps.get(turn.id) ?? []);
    }
  }

  /** Returns whether the steps contain news, or were waited for. */
  needsSteps(steps: StepsOfTurns): boolean {
    const { turn } = this.#live;
    if (turn === undefined) return false;
    return this.#isBehind || this.#live.hasNews(steps.get(turn.turnId) ?? []);
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

  // Only the wait for a decision before a step of the chat's run belongs to no turn.
  #takeWait({ turnId: runId, event: said }: AnnouncedEvent): readonly StalePart[] {
    if (said === null) return this.#fallBehind('text');
    if (said.type === 'approval_requested' || said.type === 'approval_decided') this.#live.takeWait(runId, said);
    return [];
  }

  // Returns false when the turn has steps that must be read.
  async #catchUp(turn: TurnRef, steps: StepsOfTurns): Promise<boolean> {
    if (turn.seq <= this.#endedSeq) return true;
    const stepCount = await this.#loadText(turn);
    const known = steps.get(turn.turnId);
    if (known !== undefined) this.#live.takeSteps(known);
    return stepCount === 0 || known !== undefined;
  }

  #apply(event: AnnouncedEvent): readonly StalePart[] {
    const { event: said } = event;
    if (event.turnSeq < (this.#live.turn?.seq ?? 0)) return [];
    if (said === null) return this.#fallBehind('text', 'steps');
    if (said.type === 'turn_end') return [];
    if (said.type === 'chunk') return this.#live.takeChunk(event, said) ? [] : this.#fallBehind('text');
    if (this.#isBehind) return ['text', 'steps'];
    const turn = { turnId: event.turnId, seq: event.turnSeq };
    return this.#live.takeStep(turn, said) ? [] : this.#fallBehind('steps');
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
    const ref = { orgId: this.#orgId, chatId: this.#chatId };
    const { endedSeq, openTurn, stepWait } = await chatPosition(this.#database, ref);
    if (stepWait !== null) this.#live.takeWait(stepWait.runId, stepWaitEvent(stepWait));
    return { endedSeq, openTurn: openTurn === null ? undefined : { turnId: openTurn.id, seq: openTurn.seq } };
  }

  // Returns how many steps of the turn are stored.
  async #loadText(turn: TurnRef): Promise<number> {
    const { attempt, text, stepCount } = await readPublishedText(this.#database, this.#orgId, turn.turnId);
    this.#live.takeText(turn, { attempt, text });
    return stepCount;
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
