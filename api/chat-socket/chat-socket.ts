import type { WebSocket } from 'ws';
import { findNewestMessage } from '../../db/chats/messages.ts';
import { isDatabaseUnavailable } from '../../db/core/unavailable.ts';
import type { EndedTurn } from '../../db/turns/progress/chat-progress.ts';
import { findStreamedTurn } from '../../db/turns/find-streamed-turn.ts';
import { readCallOffsets, readTurnSteps } from '../../db/turns/progress/turn-steps.ts';
import { requestInterrupt } from '../../db/turns/request-interrupt.ts';
import { startTurn } from '../../db/turns/start-turn.ts';
import { tracing } from '../../domain/telemetry/tracing.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { StepEvent } from '../../domain/events.ts';
import { asOwner, readerOf } from '../chats/own-chat.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import type { CursorPosition, Viewer } from '../context/subscriptions.ts';
import { auditDenial } from '../sockets/audit-denial.ts';
import { CLOSE, type CloseCode, FrameSocket } from '../sockets/frame-socket.ts';
import { SUBPROTOCOL } from '../sockets/read-upgrade.ts';
import { readClientFrame, type ServerFrame } from './frames/frames.ts';
import { type FrameFormat, plainFrames, type Request, versionedFrames } from './frames/frame-format.ts';
import type { VersionedFrame } from './frames/versioned-frame.ts';

/** Frames waiting to be processed, in bytes, beside the current one; further ones are left to the network. */
const MAX_WAITING_BYTES = 256 * 1024;

interface Connection {
  readonly socket: WebSocket;
  readonly caller: OrgCaller;
  readonly chatId: string;
  /** The address that the request for it came from. */
  readonly ip: string;
}

/** One client's connection to one chat: frames in, frames out. */
export class ChatSocket implements Viewer {
  readonly #context: ApiContext;
  readonly #connection: Connection;
  readonly #format: FrameFormat;
  readonly #frames: FrameSocket;
  #caller: OrgCaller;
  #waitingBytes = 0;
  #isShutOut = false;
  // Frames of one client are processed in the order of their arrival.
  #work: Promise<void> = Promise.resolve();

  constructor(context: ApiContext, connection: Connection) {
    this.#context = context;
    this.#connection = connection;
    this.#caller = connection.caller;
    this.#format = connection.socket.protocol === SUBPROTOCOL ? versionedFrames : plainFrames;
    this.#frames = new FrameSocket(connection.socket, {
      onFrame: (data) => this.#receive(data),
      rejectionOf: (message) => this.#format.rejection(message, undefined),
    });
  }

  /** Adopts the current rights of the same user. */
  adopt(caller: OrgCaller): void {
    this.#caller = caller;
  }

  /** Serves the connection until it closes. */
  async serve(): Promise<void> {
    await this.#frames.serve(async () => {
      try {
        if (this.#format.sendsPast) await this.#sendPast();
      } catch (error) {
        this.#reportFailure(error);
        this.close(CLOSE.tryAgainLater, 'try again later');
      }
    });
  }

  // Steps only move forward, so sending some twice does no harm.
  async #sendPast(): Promise<void> {
    const { database } = this.#context;
    const { chatId } = this.#connection;
    const turn = await findStreamedTurn(database, readerOf(this.#caller), chatId, undefined);
    const newestMessageId = await findNewestMessage(database, this.#caller.orgId, chatId);
    if (turn === undefined) return this.#sendFrame(this.#format.joined({ newestMessageId, past: undefined }));
    const { turnId } = turn;
    const steps = await readTurnSteps(database, [turnId]);
    // Read last, so that a step which begins in the meantime is not sent without its offset.
    const offsets = await readCallOffsets(database, this.#caller.orgId, turnId);
    const past = { turnId, steps: steps.get(turnId) ?? [], offsets };
    this.#sendFrame(this.#format.joined({ newestMessageId, past }));
  }

  /** Ends the connection; frames that have arrived are still processed. */
  close(code: CloseCode, reason: string): void {
    this.#frames.close(code, reason);
  }

  /** Ends the connection of a client that has lost the right to it; none of its frames is processed any more. */
  shutOut(code: CloseCode, reason: string): void {
    this.#isShutOut = true;
    this.close(code, reason);
  }

  onChunk(content: string, position: CursorPosition): void {
    this.#send(this.#format.chunk(content, position));
  }

  onStep(turnId: string, step: StepEvent): void {
    this.#send(this.#format.step(turnId, step));
  }

  onEnd(turn: EndedTurn): void {
    this.#send(this.#format.end(turn));
  }

  #receive(data: Buffer): void {
    const frame = readClientFrame(data.toString('utf8'));
    if (typeof frame === 'string') return this.#frames.refuse(frame);
    if (frame.type === 'ping') return this.#send({ type: 'pong' });
    this.#begin(data.byteLength);
    this.#work = this.#work
      .then(() => this.#handle(frame))
      .catch((error: unknown) => {
        this.#auditDenial(frame, error);
        this.#reportFailure(error, frame);
      })
      .finally(() => this.#end(data.byteLength));
  }

  // A client that sends faster than its frames are processed is not read until they are.
  #begin(bytes: number): void {
    this.#waitingBytes += bytes;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#frames.pause();
  }

  #end(bytes: number): void {
    this.#waitingBytes -= bytes;
    if (this.#waitingBytes <= MAX_WAITING_BYTES) this.#frames.resume();
  }

  async #handle(frame: Request): Promise<void> {
    if (this.#isShutOut) return;
    const start = { name: `WebSocket ${frame.type}`, kind: 'server' } as const;
    await tracing.within(start, async () =>
      asOwner(this.#context, this.#caller, this.#connection.chatId, async () => this.#act(frame)),
    );
  }

  async #act(frame: Request): Promise<void> {
    const { chatId } = this.#connection;
    if (frame.type === 'interrupt') {
      await requestInterrupt(this.#context.database, this.#caller, chatId);
      return;
    }
    const clientMessageId = frame.client_message_id ?? undefined;
    const { content, file_ids: fileIds } = frame;
    const message = { chatId, content, clientMessageId, fileIds: fileIds ?? undefined };
    this.#sendFrame(this.#format.accepted(frame, await startTurn(this.#context, this.#caller, message)));
  }

  #auditDenial({ type }: Request, error: unknown): void {
    const { chatId, ip } = this.#connection;
    const action = type === 'interrupt' ? 'chats.interrupt' : 'chats.stream';
    void auditDenial(this.#context, { by: this.#caller, record: { type: 'chats', id: chatId }, ip, action }, error);
  }

  #reportFailure(error: unknown, request?: Request): void {
    if (error instanceof AppError) return this.#send(this.#format.rejection(error.message, request));
    if (!isDatabaseUnavailable(error)) this.#context.log.error({ err: error }, 'a frame could not be handled');
    const words = 'The message could not be stored now; send it again shortly';
    this.#send(this.#format.rejection(words, request));
  }

  // Some formats have no frame for it.
  #sendFrame(frame: VersionedFrame | undefined): void {
    if (frame !== undefined) this.#send(frame);
  }

  #send(frame: ServerFrame | VersionedFrame): void {
    this.#frames.send(frame);
  }
}
