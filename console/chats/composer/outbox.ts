import { newId } from '../../core/browser/browser.ts';
import { Problem } from '../../core/http/problem.ts';

/** A message that somebody has sent, until it is seen among those of the chat. */
export interface OutgoingMessage {
  readonly clientMessageId: string;
  readonly content: string;
  /** The files that the message is about. */
  readonly fileIds: readonly string[];
  readonly state: 'sending' | 'sent' | 'failed';
  /** Why it was not sent: what the server has said; '' when it could not be reached. */
  readonly reason: string;
}

interface OutboxOptions {
  /** Sends a message; throws a `Problem`. The same id is sent again when it is not known whether it was stored. */
  send(message: OutgoingMessage): Promise<void>;
  /** Is told that a message is stored. */
  onSent(): void;
  /** Keeps what is not sent yet when the page is closed. */
  readonly store: { read(): string; write(text: string): void };
}

/** How long sending is tried again by itself, in milliseconds. */
const TRY_FOR_MS = 60_000;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 15_000;

/** The messages of one chat that are on their way, one after the other. None is lost, and none is stored twice. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #listeners = new Set<() => void>();
  #messages: readonly OutgoingMessage[];
  #isSending = false;
  #isClosed = false;
  // Whether nobody is signed in to send anything for.
  #isPaused = false;
  #resumes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #delayMs = FIRST_DELAY_MS;
  #triedSince: number | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#messages = readStored(options.store.read());
    void this.#sendNext();
  }

  /** The messages, the first one to send first; the same value until they change. */
  readonly messages = (): readonly OutgoingMessage[] => this.#messages;

  /** Calls `listener` after each change, until the returned function is called. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Stops sending; what is not sent is kept for the next page. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Sends a message after those before it. Returns false, and takes nothing, once it is closed. */
  add(content: string, fileIds: readonly string[] = []): boolean {
    if (this.#isClosed) return false;
    this.#set([...this.#messages, outgoing(content, fileIds)]);
    void this.#sendNext();
    return true;
  }

  /** Goes on with what was refused because nobody was signed in. */
  resume(): void {
    this.#isPaused = false;
    this.#resumes += 1;
    void this.#sendNext();
  }

  /** Sends a message again that was not sent. */
  retry(clientMessageId: string): void {
    this.#update(clientMessageId, { state: 'sending', reason: '' });
    this.#triedSince = undefined;
    void this.#sendNext();
  }

  /** Forgets messages: they are shown among those of the chat, or were discarded. */
  remove(clientMessageIds: ReadonlySet<string>): void {
    const kept = this.#messages.filter(({ clientMessageId: id }) => !clientMessageIds.has(id));
    if (kept.length < this.#messages.length) this.#set(kept);
  }

  async #sendNext(): Promise<void> {
    const next = this.#messages.find(({ state }) => state === 'sending');
    if (next === undefined || this.#isSending || this.#isPaused || this.#isClosed) return;
    this.#isSending = true;
    clearTimeout(this.#timer);
    this.#triedSince ??= Date.now();
    const resumes = this.#resumes;
    try {
      await this.#options.send(next);
      this.#succeed(next.clientMessageId);
    } catch (error) {
      if (isSignedOut(error)) this.#pause(resumes);
      else this.#fail(next.clientMessageId, error);
    } finally {
      this.#isSending = false;
    }
    if (this.#triedSince === undefined) await this.#sendNext();
  }

  #succeed(clientMessageId: string): void {
    this.#delayMs = FIRST_DELAY_MS;
    this.#triedSince = undefined;
    this.#update(clientMessageId, { state: 'sent' });
    this.#options.onSent();
  }

  // A refusal that comes after the next sign-in says nothing of it.
  #pause(resumesBefore: number): void {
    this.#isPaused = resumesBefore === this.#resumes;
    this.#triedSince = undefined;
  }

  // A message that may have been stored is sent again under the same id; one that was rejected is not.
  #fail(clientMessageId: string, error: unknown): void {
    const isPassing = !(error instanceof Problem) || error.isPassing;
    const triedMs = Date.now() - (this.#triedSince ?? 0);
    if (!isPassing || triedMs > TRY_FOR_MS) {
      this.#triedSince = undefined;
      const reason = error instanceof Problem && error.status !== 0 ? error.message : '';
      this.#update(clientMessageId, { state: 'failed', reason });
      return;
    }
    const asked = error instanceof Problem ? error.retryAfterSeconds : undefined;
    this.#timer = setTimeout(() => void this.#sendNext(), asked === undefined ? this.#delayMs : asked * 1_000);
    this.#delayMs = Math.min(this.#delayMs * 2, MAX_DELAY_MS);
  }

  #update(clientMessageId: string, changes: Partial<OutgoingMessage>): void {
    this.#set(
      this.#messages.map((message) =>
        message.clientMessageId === clientMessageId ? { ...message, ...changes } : message,
      ),
    );
  }

  // What is kept is the next page's once this one is closed.
  #set(messages: readonly OutgoingMessage[]): void {
    if (this.#isClosed) return;
    this.#messages = messages;
    const unsent = messages.filter(({ state }) => state !== 'sent');
    this.#options.store.write(unsent.length === 0 ? '' : JSON.stringify(unsent));
    for (const listener of this.#listeners) listener();
  }
}

/** Returns what the store of an outbox holds when a chat begins with a message. */
export function firstInOutbox(content: string): string {
  return JSON.stringify([outgoing(content, [])]);
}

function outgoing(content: string, fileIds: readonly string[]): OutgoingMessage {
  return { clientMessageId: newId(), content, fileIds, state: 'sending', reason: '' };
}

function isSignedOut(error: unknown): boolean {
  return error instanceof Problem && error.status === 401;
}

function readStored(text: string): readonly OutgoingMessage[] {
  if (text === '') return [];
  try {
    const kept = JSON.parse(text) as (Omit<OutgoingMessage, 'fileIds'> & Partial<OutgoingMessage>)[];
    return kept.map((message) => ({ fileIds: [], ...message }));
  } catch {
    return [];
  }
}
