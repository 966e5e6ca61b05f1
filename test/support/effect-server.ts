import type { IncomingMessage, ServerResponse } from 'node:http';
import { waitUntil } from './wait-until.ts';
import { LocalServer } from './local-server.ts';

/** A request that reached the server: an effect in the outside world. */
export interface Effect {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly body: string;
}

/**
 * A server of the outside world that counts the requests it receives. `/hold/...` responds only after `release`,
 * `/cut/...` breaks the connection off; every other path echoes the request at once.
 */
export class EffectServer extends LocalServer {
  readonly effects: Effect[] = [];
  #blocked: { readonly path: string; readonly answer: () => void }[] = [];

  static async start(): Promise<EffectServer> {
    return new EffectServer().listen();
  }

  /** Returns the requests for a path, in the order in which they came. */
  at(path: string): Effect[] {
    return this.effects.filter((effect) => effect.path === path);
  }

  /** Waits until a path has been asked for so many times. */
  async waitFor(path: string, times = 1): Promise<void> {
    await waitUntil(`${times} requests for ${path}`, () => this.at(path).length >= times || undefined);
  }

  /** Lets everything go that is held at paths that begin so. */
  release(prefix = ''): void {
    const released = this.#blocked.filter(({ path }) => path.startsWith(prefix));
    this.#blocked = this.#blocked.filter(({ path }) => !path.startsWith(prefix));
    for (const { answer } of released) answer();
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const key = request.headers['idempotency-key'];
    const effect = {
      method: request.method ?? '',
      path: request.url ?? '',
      key: typeof key === 'string' ? key : undefined,
      body: Buffer.concat(chunks).toString(),
    };
    this.effects.push(effect);
    if (effect.path.startsWith('/cut/')) return void request.socket.destroy();
    const answer = () => response.end(`done ${effect.method} ${effect.path}`);
    if (effect.path.startsWith('/hold/')) this.#blocked.push({ path: effect.path, answer });
    else answer();
  }
}
