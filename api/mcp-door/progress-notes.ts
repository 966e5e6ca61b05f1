import type { ServerContext } from '@modelcontextprotocol/server';

/** The shortest time between two notes, in milliseconds. */
const INTERVAL_MS = 1_000;

/** Tells a client how far its call is, if it has asked for that: at most once a second, the latest of what is new. */
export class ProgressNotes {
  readonly #request: ServerContext['mcpReq'];
  #count = 0;
  #sentAt = -INTERVAL_MS;

  constructor(request: ServerContext['mcpReq']) {
    this.#request = request;
  }

  note(message: string): void {
    const progressToken = this.#request._meta?.progressToken;
    const now = performance.now();
    if (progressToken === undefined || now - this.#sentAt < INTERVAL_MS || this.#request.signal.aborted) return;
    this.#sentAt = now;
    this.#count += 1;
    const params = { progressToken, progress: this.#count, message };
    // Of a note that comes too late nobody is waiting any more.
    this.#request.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }
}
