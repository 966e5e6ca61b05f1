import { modelText } from '../../db/chats/index.ts';
import type { Database } from '../../db/core/index.ts';
import { type AnnouncedEvent, applyChunk, readPublishedText } from '../../db/stream/index.ts';
import { chatPosition, type EndedTurn } from '../../db/turns/index.ts';
import type { CursorPosition, Viewer } from '../core/chat-watch.ts';
import { type StreamingText, ViewerCursor } from './viewer-cursor.ts';

interface WatchingViewer {
  readonly viewer: Viewer;
  readonly cursor: ViewerCursor;
}

/** The text of the running turn. */
interface RunningText extends StreamingText {
  readonly seq: number;
}

/** What a feed cannot tell from events alone: whether turns have ended, or what the running turn's text is. */
export type Doubt = 'ended turns' | 'text';

/** Events that wait while the feed reads the database; more than that and it reads anew instead. */
const MAX_WAITING_EVENTS = 1_000;

/**
 * What one process knows of one chat while somebody watches it: the running turn's text so far, and which turns have
 * ended. Events come from the worker and may be lost; the rows decide what is true.
 */
export class ChatFeed {
  readonly #database: Database;
  readonly #orgId: string;
  readonly #chatId: string;
  readonly #viewers = new Set<WatchingViewer>();
  #current: RunningText | undefined;
  #endedSeq = 0;
  // The newest turn whose end was announced; it may not have been told yet.
  #announcedSeq = 0;
  #waiting: AnnouncedEvent[] | undefined = [];

  constructor(database: Database, { orgId, chatId }: { orgId: string; chatId: string }) {
    this.#database = database;
    this.#orgId = orgId;
    this.#chatId = chatId;
  }

  get isWatched(): boolean {
    return this.#viewers.size > 0;
  }

  /** Whether a turn is known to run; such a feed is looked after more often. */
  get isActive(): boolean {
    return this.#current !== undefined;
  }

  /** What the rows are to be asked: which turns ended after the last one that was told. */
  get progressQuery() {
    return { chatId: this.#chatId, afterSeq: this.#endedSeq };
  }

  /** Reads where the chat stands. Until that is done, events wait. */
  async load(): Promise<readonly Doubt[]> {
    const place = { orgId: this.#orgId, chatId: this.#chatId };
    const { endedSeq, openTurn } = await chatPosition(this.#database, place);
    this.#endedSeq = endedSeq;
    if (openTurn !== null) await this.#loadText(openTurn);
    return this.#resume();
  }

  /** Adds a viewer, who is shown at once what the running turn has said so far. Answers how to remove them. */
  watch(viewer: Viewer, resumeFrom?: CursorPosition): () => void {
    const watching = { viewer, cursor: new ViewerCursor(resumeFrom) };
    this.#viewers.add(watching);
    if (this.#current !== undefined) show(watching, this.#current);
    return () => this.#viewers.delete(watching);
  }

  /** Takes an event in. Answers what the rows must be asked because of it. */
  receive(event: AnnouncedEvent): readonly Doubt[] {
    if (this.#waiting !== undefined) {
      if (this.#waiting.length < MAX_WAITING_EVENTS) this.#waiting.push(event);
      return [];
    }
    if (event.turnSeq <= this.#endedSeq) return [];
    if (event.event?.type === 'turn_end') {
      this.#announcedSeq = Math.max(this.#announcedSeq, event.turnSeq);
      return ['ended turns'];
    }
    // A later turn runs, so the one before has ended: its viewers must be told that before they see the next one's text.
    const untoldSeq = this.#current?.seq ?? this.#announcedSeq;
    if (untoldSeq > this.#endedSeq && event.turnSeq > untoldSeq) return ['ended turns', 'text'];
    return this.#applyChunk(event);
  }

  /** Lets events wait until the text has been read anew: some may have been lost. */
  suspend(): void {
    this.#waiting ??= [];
  }

  /** Tells the viewers of turns that ended, in order; those they know of already are passed over. */
  tellEnded(turns: readonly EndedTurn[]): void {
    for (const turn of turns) {
      if (turn.seq <= this.#endedSeq) continue;
      this.#endedSeq = turn.seq;
      // Another worker's announcement of a later turn may overtake that of this end: what was shown stays shown once.
      const isOvertaken = this.#current !== undefined && this.#current.seq > turn.seq;
      if (!isOvertaken) {
        this.#tellRest(turn);
        this.#current = undefined;
      }
      for (const { viewer } of this.#viewers) viewer.onEnd(turn);
    }
  }

  /** Reads the running turn's text anew, after events were or may have been lost. */
  async reloadText(): Promise<readonly Doubt[]> {
    this.suspend();
    try {
      const place = { orgId: this.#orgId, chatId: this.#chatId };
      const { endedSeq, openTurn } = await chatPosition(this.#database, place);
      // The ends come first, or the text of a turn would be shown before the end of the one before it.
      if (endedSeq > this.#endedSeq) return ['ended turns', 'text', ...this.#resume()];
      if (openTurn !== null && openTurn.seq > this.#endedSeq) await this.#loadText(openTurn);
    } catch (error) {
      this.#resume();
      throw error;
    }
    return this.#resume();
  }

  #applyChunk({ turnId, turnSeq, attempt, event }: AnnouncedEvent): readonly Doubt[] {
    const current = this.#current;
    if (current !== undefined && (turnSeq < current.seq || attempt < current.attempt)) return [];
    const text = current?.turnId === turnId && current.attempt === attempt ? current.text : '';
    const next = event?.type === 'chunk' ? applyChunk(text, event) : undefined;
    if (next === undefined) return ['text'];
    this.#setCurrent({ turnId, seq: turnSeq, attempt, text: next });
    return [];
  }

  async #loadText({ id: turnId, seq }: { id: string; seq: number }): Promise<void> {
    const { attempt, text } = await readPublishedText(this.#database, this.#orgId, turnId);
    const current = this.#current;
    const isKnown = current?.turnId === turnId && (attempt < current.attempt || isNoLonger({ attempt, text }, current));
    if (!isKnown) this.#setCurrent({ turnId, seq, attempt, text });
  }

  #setCurrent(current: RunningText): void {
    this.#current = current;
    for (const watching of this.#viewers) show(watching, current);
  }

  // What the stream did not bring before the turn ended, so that the chunks add up to the stored answer.
  #tellRest({ id: turnId, answer }: EndedTurn): void {
    // A later attempt than any: what was shown is held against the stored text.
    const whole = { turnId, attempt: Number.POSITIVE_INFINITY, text: modelText(answer) };
    for (const watching of this.#viewers) show(watching, whole);
  }

  #resume(): readonly Doubt[] {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    return waiting.flatMap((event) => this.receive(event));
  }
}

function isNoLonger(loaded: { attempt: number; text: string }, current: StreamingText): boolean {
  return loaded.attempt === current.attempt && loaded.text.length <= current.text.length;
}

function show({ viewer, cursor }: WatchingViewer, text: StreamingText): void {
  const addition = cursor.advance(text);
  if (addition !== '' && cursor.position !== undefined) viewer.onChunk(addition, cursor.position);
}
