import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import { backOffMs } from './gate.ts';

const REQUEST_LIMIT_MS = 8_000;
const INSIST_MS = 300_000;

/** A request of a user or a stranger. */
interface InsistentRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  /** The body as it is sent. */
  readonly body?: string;
  /** Called for each try, because signatures hold the time. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** How long it is tried, in milliseconds. */
  readonly limitMs?: number;
}

/** An answer that is no failure of the service. */
interface Answer {
  readonly status: number;
  /** Undefined for a page. */
  readonly json: unknown;
}

/** Sends requests until the service answers them: with a refusal, too, but not with a failure of its own. */
export class InsistentClient {
  readonly #apiUrl: string;
  readonly #random: Random;

  constructor(apiUrl: string, random: Random) {
    this.#apiUrl = apiUrl;
    this.#random = random;
  }

  /** Returns the first answer; undefined when there was none in time. */
  async ask({
    method = 'GET',
    path,
    body,
    headers,
    limitMs = INSIST_MS,
  }: InsistentRequest): Promise<Answer | undefined> {
    const deadline = Date.now() + limitMs;
    for (let failures = 0; Date.now() < deadline; failures += 1) {
      if (failures > 0) await sleep(backOffMs(this.#random, failures));
      try {
        const answer = await fetch(`${this.#apiUrl}${path}`, {
          method,
          headers: { 'content-type': 'application/json', ...headers?.() },
          ...(body !== undefined && { body }),
          signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
        });
        const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
        const said = await answer.text();
        const json: unknown = isJson ? JSON.parse(said) : undefined;
        if (answer.status < 500 && answer.status !== 429) return { status: answer.status, json };
      } catch {
        // The service cannot be reached now, or the answer was lost.
      }
    }
    return undefined;
  }
}
