import { once } from 'node:events';
import { WebSocket } from 'ws';
import { preciseNow } from '../../test/support/scripted-model/index.ts';
import type { TurnTimes } from './driver-protocol.ts';

const TURN_LIMIT_MS = 120_000;

/** A frame from a chat's socket, with its arrival time. */
export interface SeenFrame {
  readonly type: string;
  readonly content?: string;
  readonly message?: string;
  readonly at: number;
}

/** A turn as it is being shown. */
export interface WatchedTurn {
  /** A live view. */
  readonly frames: readonly SeenFrame[];
  /** Its terminal frame; rejects when none has come after two minutes. */
  readonly ended: Promise<SeenFrame>;
}

/** A client of one chat. */
export class ChatClient {
  readonly #socket: WebSocket;
  #onFrame: (frame: SeenFrame) => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      const at = preciseNow();
      this.#onFrame({ ...(JSON.parse(data.toString()) as Omit<SeenFrame, 'at'>), at });
    });
  }

  static async connect(apiUrl: string, chatId: string, token: string): Promise<ChatClient> {
    const socket = new WebSocket(`${apiUrl.replace('http', 'ws')}/ws/chat/${chatId}?token=${token}`);
    await once(socket, 'open');
    return new ChatClient(socket);
  }

  send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  /** Has every frame from now on told, and to nobody who listened before. */
  listen(onFrame: (frame: SeenFrame) => void): void {
    this.#onFrame = onFrame;
  }

  /** Watches what is shown from now on, until a turn has ended. */
  watch(): WatchedTurn {
    const frames: SeenFrame[] = [];
    const ended = new Promise<SeenFrame>((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error('no answer')), TURN_LIMIT_MS);
      this.listen((frame) => {
        frames.push(frame);
        if (!isTerminal(frame)) return;
        clearTimeout(limit);
        resolve(frame);
      });
    });
    // A caller who gives up earlier does not wait for it.
    ended.catch(() => undefined);
    return { frames, ended };
  }

  /** Sends a message and sees its turn through. Rejects when the turn failed. */
  async runTurn(content: string): Promise<TurnTimes> {
    const { frames, ended } = this.watch();
    const sentAt = preciseNow();
    this.send({ type: 'message', content });
    const end = await ended;
    const first = frames.find(({ type }) => type === 'chunk');
    if (end.type === 'error' || first === undefined) throw new Error(end.message ?? 'no chunk');
    return { sentAt, firstAt: first.at, endedAt: end.at };
  }

  close(): void {
    this.#socket.terminate();
  }
}

/** Returns whether a frame ends a turn. */
export function isTerminal({ type }: SeenFrame): boolean {
  return type === 'stream_end' || type === 'error';
}
