import { setTimeout as sleep } from 'node:timers/promises';
import { interruptAsPlanned, type ListedMessage, listMessages } from './interrupts.ts';
import type { InFlight } from './in-flight.ts';
import type { SocketViewer } from './socket-viewer.ts';
import type { MessagePlan } from '../messages/turn-plan.ts';

/** How long a client waits for news before it looks whether it missed any. */
const POLL_AFTER_MS = 2_500;
/** How long a sent frame may remain unconfirmed before it is sent again. */
const SEND_AGAIN_MS = 4_000;
const PAUSE_MS = 400;

/** Sends messages over a chat's socket, and looks until each is seen to be stored and answered. */
export class SocketChat {
  readonly #viewer: SocketViewer;
  readonly #inFlight: InFlight;
  // Messages and answers of the volleys before.
  #before = 0;

  constructor(viewer: SocketViewer, inFlight: InFlight) {
    this.#viewer = viewer;
    this.#inFlight = inFlight;
  }

  /** Sends messages together and waits for all their answers; returns false when that takes longer than `limitMs`. */
  async run(volley: readonly MessagePlan[], limitMs: number): Promise<boolean> {
    const deadline = Date.now() + limitMs;
    const interrupts = volley.map(async (plan) =>
      interruptAsPlanned(plan, { chat: this.#viewer.chat, viewer: this.#viewer, inFlight: this.#inFlight }),
    );
    const isDone = await this.#converse(volley, deadline);
    await Promise.all(interrupts);
    this.#before += volley.length * 2;
    return isDone;
  }

  async #converse(volley: readonly MessagePlan[], deadline: number): Promise<boolean> {
    let sentAt = 0;
    let listed: readonly ListedMessage[] = [];
    let connection = this.#viewer.journal;
    while (Date.now() < deadline) {
      const missing = volley.filter(({ turn }) => !listed.some(({ content }) => content === turn.content));
      const isDue = this.#viewer.journal !== connection || Date.now() - sentAt > SEND_AGAIN_MS;
      if (missing.length > 0 && isDue && this.#send(missing)) sentAt = Date.now();
      connection = this.#viewer.journal;
      await this.#viewer.change(POLL_AFTER_MS);
      const now = await listMessages(this.#viewer.chat, this.#before).catch(() => undefined);
      if (now === undefined) await sleep(PAUSE_MS);
      else listed = now;
      if (this.#note(volley, listed)) return true;
    }
    return false;
  }

  #send(plans: readonly MessagePlan[]): boolean {
    for (const { index, messageId, turn } of plans) {
      const frame = { type: 'message', content: turn.content, client_message_id: messageId };
      if (!this.#viewer.send(frame)) return false;
      this.#inFlight.sent(index);
    }
    return true;
  }

  // True when all are answered: the turns of a chat run in the order of its messages.
  #note(volley: readonly MessagePlan[], listed: readonly ListedMessage[]): boolean {
    const answers = listed.filter(({ role }) => role === 'assistant').length;
    for (const { index, turn } of volley) {
      if (listed.some(({ content }) => content === turn.content)) this.#inFlight.acknowledged(index);
    }
    const inOrder = listed.filter(({ role }) => role === 'user').slice(0, answers);
    for (const { content } of inOrder) {
      const plan = volley.find(({ turn }) => turn.content === content);
      if (plan !== undefined) this.#inFlight.ended(plan.index);
    }
    return answers >= volley.length;
  }
}
