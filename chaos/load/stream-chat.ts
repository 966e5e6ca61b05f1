import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import { SseClient } from '../../test/support/sse-client.ts';
import { backOffMs } from './gate.ts';
import type { InFlight } from './in-flight.ts';
import type { ChaosChat } from '../installation/installation.ts';
import { interruptAsPlanned } from './interrupts.ts';
import type { ShownEnd } from './view-journal.ts';
import type { MessagePlan } from '../messages/turn-plan.ts';

/** The events that a reader of server-sent events was shown of one turn, over all its connections. */
export interface StreamRecord {
  readonly message: number;
  text: string;
  readonly ends: ShownEnd[];
  /** Per connection: ids of calls shown as running, and as over. */
  readonly calls: { readonly started: string[]; readonly done: string[]; readonly hasEnd: boolean }[];
}

const POLL_MS = 50;

/** Sends messages over server-sent events and resumes each stream, from where it was, until its end has come. */
export class StreamChat {
  readonly streamed: StreamRecord[] = [];
  readonly #chat: ChaosChat;
  readonly #random: Random;
  readonly #inFlight: InFlight;
  #stream: SseClient | undefined;

  constructor(chat: ChaosChat, random: Random, inFlight: InFlight) {
    this.#chat = chat;
    this.#random = random;
    this.#inFlight = inFlight;
  }

  /** Loses the connection as on a train. */
  drop(): void {
    this.#stream?.close();
  }

  /** Sends the messages one after the other, each when the one before is answered; false when that takes too long. */
  async run(volley: readonly MessagePlan[], limitMs: number): Promise<boolean> {
    const deadline = Date.now() + limitMs;
    for (const plan of volley) {
      this.#inFlight.sent(plan.index);
      const context = { chat: this.#chat, viewer: undefined, inFlight: this.#inFlight };
      const interrupting = interruptAsPlanned(plan, context);
      const isDone = await this.#follow(plan, deadline);
      await interrupting;
      if (!isDone) return false;
    }
    return true;
  }

  async #follow({ index, turn, messageId }: MessagePlan, deadline: number): Promise<boolean> {
    const shown: StreamRecord = { message: index, text: '', ends: [], calls: [] };
    this.streamed.push(shown);
    let lastEventId: string | undefined;
    for (let failures = 0; Date.now() < deadline;) {
      const stream = await this.#open({ content: turn.content, client_message_id: messageId }, lastEventId);
      if (stream?.status !== 200) {
        failures += 1;
        this.#inFlight.failures += 1;
        await sleep(backOffMs(this.#random, failures));
        continue;
      }
      failures = 0;
      this.#stream = stream;
      await this.#read(stream, index, deadline);
      lastEventId = stream.lastEventId ?? lastEventId;
      if (note(shown, stream)) {
        this.#inFlight.ended(index);
        return true;
      }
    }
    return false;
  }

  async #open(body: object, lastEventId: string | undefined): Promise<SseClient | undefined> {
    const { apiUrl, id, token } = this.#chat;
    return SseClient.open({ url: `${apiUrl}/api/chats/${id}/stream`, token, body, lastEventId }).catch(() => undefined);
  }

  async #read(stream: SseClient, message: number, deadline: number): Promise<void> {
    let seen = 0;
    while (!stream.isDone && Date.now() < deadline) {
      await sleep(POLL_MS);
      if (stream.events.length === seen) continue;
      seen = stream.events.length;
      this.#inFlight.signOfLife();
      this.#inFlight.acknowledged(message);
    }
    if (stream.events.length > 0) this.#inFlight.acknowledged(message);
    stream.close();
  }
}

// True when the stream has told the end of the turn.
function note(shown: StreamRecord, { text, events }: SseClient): boolean {
  shown.text += text;
  const ends = events.flatMap(({ event, data }) => readEnd(event, data));
  shown.ends.push(...ends);
  const calls = events.filter(({ event }) => event === 'tool_call').map(({ data }) => data);
  shown.calls.push({
    started: calls.filter(({ status }) => status === 'running').map(({ step_id: id }) => String(id)),
    done: calls.filter(({ status }) => status !== 'running').map(({ step_id: id }) => String(id)),
    hasEnd: ends.length > 0,
  });
  return ends.length > 0;
}

function readEnd(event: string, data: Record<string, unknown>): ShownEnd[] {
  if (event === 'error') return [{ kind: 'failure', message: String(data['message']) }];
  if (event !== 'stream_end') return [];
  const message = data['message'] as { content: string; metadata_: Record<string, unknown> };
  const { turn_id: turnId, status } = message.metadata_;
  return [{ kind: 'end', turnId: String(turnId), status: String(status), content: message.content }];
}
