import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises';
import type { SequencedTurnEvent, StepEvent, TurnEvent } from '../../domain/events.ts';
import type { Database } from '../core/database.ts';
import { firstSeq } from './read-turn-events.ts';
import { type AnnouncedEvent, EVENTS_CHANNEL, fitForPayload, packPayloads } from './wire.ts';
import type { AncestorTurn } from '../turns/ancestors.ts';

/** The attempt at a step whose events are published. */
interface PublishedTurn {
  readonly orgId: string;
  readonly chatId: string;
  readonly id: string;
  readonly seq: number;
  readonly afterSeq: number;
  readonly attempt: number;
  readonly step: number;
  /** The length of the answer before this step. */
  readonly baseLength: number;
}

interface PendingEvent extends SequencedTurnEvent {
  readonly orgId: string;
}

/**
 * The least time from one statement to the next, in milliseconds, for each stream beside the first: a stream alone does
 * not wait, and many share a statement. A busy database lengthens it by itself.
 */
const GATHER_MS_PER_STREAM = 1;
/** More would not make the statements of many streams much cheaper. */
const MAX_GATHER_MS = 30;
/** The same for urgent events: enough for the first words of many turns to share a statement. */
const MAX_URGENT_GATHER_MS = 3;
const RETRY_MS = 250;
/**
 * How many step announcements wait while the database is down; older ones are dropped, because the rows contain them.
 */
const MAX_WAITING_STEPS = 4_000;

/**
 * Publishes the events of all turns of a worker, one statement at a time. A statement is sent as soon as there is
 * something to announce. What comes while it is under way is sent with the next one, which contains the new text of
 * every turn. The more streams have text, the longer the next one waits for it, so 200 streams cost some thirty
 * statements a second; the first text of a stream, and steps, hardly wait. Never throws and never makes a turn wait:
 * while the database is down the text accumulates (at most an answer's length) and goes out later.
 */
export class TurnPublisher {
  readonly #database: Database;
  readonly #dirty = new Set<TurnStream>();
  readonly #active = new ActiveStreams();
  #steps: AnnouncedEvent[] = [];
  readonly #onFailure: (error: unknown) => void;
  #loop: Promise<void> | undefined;
  #lastFlushAt = 0;
  #isDraining = false;
  #flushEarly: (() => void) | undefined;

  constructor(database: Database, onFailure: (error: unknown) => void) {
    this.#database = database;
    this.#onFailure = onFailure;
  }

  /** Opens the stream of one attempt at a step of a turn. */
  open(turn: PublishedTurn): TurnStream {
    return new TurnStream(turn, (stream) => {
      this.#dirty.add(stream);
      if (stream.isUrgent) this.#flushEarly?.();
      this.#wake();
    });
  }

  /**
   * Announces a step to the viewers of the chats: that of the agent that takes it, and those of the agents above.
   * Earlier text of any turn of this process goes out before it. The step is not stored here: its rows are.
   */
  announce(recipients: readonly AncestorTurn[], step: StepEvent): void {
    const event = fitForPayload(step);
    this.#steps.push(...recipients.map((recipient) => ({ ...recipient, attempt: 0, seq: 0, event })));
    this.#boundSteps();
    this.#flushEarly?.();
    this.#wake();
  }

  /** Waits until everything given so far is out, or a last attempt has failed. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#loop;
  }

  #wake(): void {
    this.#loop ??= this.#run().finally(() => {
      this.#loop = undefined;
      // Events that came after the loop's last poll.
      if (this.#hasWork) this.#wake();
    });
  }

  async #run(): Promise<void> {
    while (this.#hasWork) {
      await this.#gather();
      await this.#flush();
    }
  }

  get #hasWork(): boolean {
    return this.#dirty.size > 0 || this.#steps.length > 0;
  }

  get #isUrgent(): boolean {
    return this.#steps.length > 0 || [...this.#dirty].some((stream) => stream.isUrgent);
  }

  #boundSteps(): void {
    if (this.#steps.length > MAX_WAITING_STEPS) this.#steps = this.#steps.slice(-MAX_WAITING_STEPS);
  }

  // Lets the texts of many turns share a statement; the long wait ends early for urgent events.
  async #gather(): Promise<void> {
    // The tokens of one packet travel together.
    await nextLoop();
    const gatherMs = Math.min(MAX_GATHER_MS, (this.#active.count - 1) * GATHER_MS_PER_STREAM);
    if (!this.#isUrgent) await this.#pause(gatherMs);
    if (this.#isUrgent) await this.#pause(Math.min(MAX_URGENT_GATHER_MS, gatherMs));
  }

  // Waits until so much time has passed since the last statement began.
  async #pause(ms: number): Promise<void> {
    const waitMs = this.#lastFlushAt + ms - performance.now();
    if (waitMs <= 0) return;
    const mayEndEarly = !this.#isUrgent;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      if (!mayEndEarly) return;
      this.#flushEarly = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#flushEarly = undefined;
  }

  async #flush(): Promise<void> {
    const streams = [...this.#dirty];
    this.#dirty.clear();
    const steps = this.#steps;
    this.#steps = [];
    const texts = streams.flatMap((stream) => stream.take() ?? []);
    const ends = streams.flatMap((stream) => stream.takeEnd() ?? []);
    this.#lastFlushAt = performance.now();
    this.#active.note(streams, this.#lastFlushAt);
    try {
      await this.#send(texts, [...texts, ...steps, ...ends]);
      for (const stream of streams) stream.confirm();
    } catch (error) {
      this.#onFailure(error);
      if (this.#isDraining) return;
      for (const stream of streams) {
        stream.putBack();
        this.#dirty.add(stream);
      }
      this.#steps.unshift(...steps);
      this.#boundSteps();
      await sleep(RETRY_MS);
    }
  }

  // Text is stored too; steps and the end of a turn are only announced, because their rows are durable.
  async #send(stored: readonly PendingEvent[], announced: readonly AnnouncedEvent[]): Promise<void> {
    if (announced.length === 0) return;
    await this.#database.stream.query({
      name: 'publish-turn-events',
      text: `with stored as (
          insert into turn_events (turn_id, attempt, seq, org_id, event)
          select * from unnest($1::uuid[], $2::int[], $3::int[], $4::uuid[], $5::jsonb[])
          on conflict do nothing
        )
        select pg_notify('${EVENTS_CHANNEL}', payload) from unnest($6::text[]) as payload`,
      values: [
        stored.map(({ turnId }) => turnId),
        stored.map(({ attempt }) => attempt),
        stored.map(({ seq }) => seq),
        stored.map(({ orgId }) => orgId),
        stored.map(({ event }) => JSON.stringify(event)),
        packPayloads(announced),
      ],
    });
  }
}

/** The events of one attempt at a step of a turn, in order. */
export class TurnStream {
  readonly #turn: PublishedTurn;
  readonly #markDirty: (stream: TurnStream) => void;
  #nextSeq: number;
  #sentLength: number;
  #inFlight = '';
  #pending = '';
  #hasEnded = false;

  constructor(turn: PublishedTurn, markDirty: (stream: TurnStream) => void) {
    this.#turn = turn;
    this.#nextSeq = firstSeq(turn.step);
    this.#sentLength = turn.baseLength;
    this.#markDirty = markDirty;
  }

  /** Whether pending events should not wait for the next tick: the first text, or the turn's end. */
  get isUrgent(): boolean {
    return this.#sentLength === this.#turn.baseLength || this.#hasEnded;
  }

  /** Appends text to the answer. */
  append(text: string): void {
    if (text === '') return;
    this.#pending += text;
    this.#markDirty(this);
  }

  /** Announces that the durable rows contain the turn's outcome. */
  end(): void {
    this.#hasEnded = true;
    this.#markDirty(this);
  }

  /** Returns the pending text; it counts as sent when `confirm` follows. */
  take(): PendingEvent | undefined {
    // Half a surrogate pair cannot be stored; it waits for its other half.
    const splitsPair = /[\uD800-\uDBFF]$/.test(this.#pending);
    this.#inFlight = splitsPair ? this.#pending.slice(0, -1) : this.#pending;
    this.#pending = splitsPair ? this.#pending.slice(-1) : '';
    if (this.#inFlight === '') return undefined;
    return this.#sequenced({ type: 'chunk', offset: this.#sentLength, text: this.#inFlight });
  }

  /** Returns the announcement of the end, if the turn has ended. */
  takeEnd(): PendingEvent | undefined {
    return this.#hasEnded ? this.#sequenced({ type: 'turn_end' }) : undefined;
  }

  confirm(): void {
    this.#sentLength += this.#inFlight.length;
    this.#inFlight = '';
  }

  /** Requeues the text of `take`. It is sent again under a new seq: the failed statement may have stored it. */
  putBack(): void {
    this.#pending = this.#inFlight + this.#pending;
    this.#inFlight = '';
  }

  #sequenced(event: Exclude<TurnEvent, StepEvent>): PendingEvent {
    const { orgId, chatId, id, seq, afterSeq, attempt } = this.#turn;
    return { orgId, chatId, turnId: id, turnSeq: seq, afterSeq, attempt, seq: this.#nextSeq++, event };
  }
}

/** How long a stream counts after its last text, at least; at most some twice as long. */
const PERIOD_MS = 1_000;

/**
 * Counts the streams that have had text lately. An abandoned attempt never ends its stream, so ends alone are not
 * reliable.
 */
export class ActiveStreams {
  #current = new Set<object>();
  #before = new Set<object>();
  #periodEndsAt = 0;

  get count(): number {
    return this.#current.size + this.#before.size;
  }

  /** Records that these streams have text now, in milliseconds of a monotonic clock. */
  note(streams: Iterable<object>, now: number): void {
    if (now >= this.#periodEndsAt) this.#turn(now);
    for (const stream of streams) {
      this.#before.delete(stream);
      this.#current.add(stream);
    }
  }

  #turn(now: number): void {
    const isOld = now >= this.#periodEndsAt + PERIOD_MS;
    this.#before = isOld ? new Set() : this.#current;
    this.#current = new Set();
    this.#periodEndsAt = now + PERIOD_MS;
  }
}
