import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import { between } from '../random.ts';

/** A delivery that a host has made, and what it was answered, try by try. */
export interface HostDelivery {
  readonly id: string;
  /** Such as `accepted` and `repeated`; a status code for anything but success. */
  readonly answers: readonly string[];
}

interface WebhookOptions {
  readonly url: string;
  readonly secret: string;
  readonly random: Random;
}

/** Deliveries that never leave the host, those that are made twice though they were taken, and how late one may be. */
const LOST = 0.15;
const REPEATED = 0.3;
const LATEST_MS = 3_000;
/** How long the host waits for an answer, and before it delivers once more. */
const ANSWER_LIMIT_MS = 8_000;
const PAUSE_MS = 500;
/** How many are on their way at a time. */
const MAX_OPEN = 20;

/** The webhook of a code host. It delivers each event until it is taken, some of them again, in any order, or never. */
export class HostWebhook {
  readonly deliveries: HostDelivery[] = [];
  readonly #options: WebhookOptions;
  readonly #open = new Set<Promise<void>>();
  #calls = 0;
  #sending = 0;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  /** Tells of an event, some time later. */
  tell(event: string, payload: object): void {
    const { random } = this.#options;
    if (random.chance(LOST)) return;
    // What it is about may be something else by the time that it arrives.
    const body = JSON.stringify(payload);
    const times = random.chance(REPEATED) ? 2 : 1;
    const delivering = this.#deliver({ event, body, times, lateMs: between(random, 0, LATEST_MS) });
    this.#open.add(delivering);
    void delivering.finally(() => this.#open.delete(delivering));
  }

  /** Resolves when all that it tells has been taken. */
  async drain(): Promise<void> {
    while (this.#open.size > 0) await Promise.race(this.#open);
  }

  async #deliver(told: { event: string; body: string; times: number; lateMs: number }): Promise<void> {
    const { event, body, times, lateMs } = told;
    const id = `delivery-${(this.#calls += 1)}`;
    const answers: string[] = [];
    this.deliveries.push({ id, answers });
    await sleep(lateMs);
    for (let taken = 0; taken < times;) {
      while (this.#sending >= MAX_OPEN) await sleep(PAUSE_MS);
      const answer = await this.#send(id, event, body);
      if (answer !== undefined) answers.push(answer.said);
      if (answer?.isTaken === true) taken += 1;
      else await sleep(PAUSE_MS);
    }
  }

  // Undefined when no answer has arrived.
  async #send(id: string, event: string, body: string) {
    const { url, secret } = this.#options;
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    this.#sending += 1;
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-github-event': event,
          'x-github-delivery': id,
          'x-hub-signature-256': signature,
        },
        body,
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      });
      if (answer.status !== 200) {
        await answer.body?.cancel();
        return { isTaken: false, said: String(answer.status) };
      }
      return { isTaken: true, said: ((await answer.json()) as { status: string }).status };
    } catch {
      return undefined;
    } finally {
      this.#sending -= 1;
    }
  }
}
