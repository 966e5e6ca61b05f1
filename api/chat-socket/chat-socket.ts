import type { WebSocket } from 'ws';
import { isDatabaseUnavailable } from '../../db/core/index.ts';
import { type EndedTurn, findStreamedTurn, readTurnSteps } from '../../db/turns/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { StepEvent } from '../../domain/events/index.ts';
import { startTurn } from '../../start-turn/index.ts';
import { asOwner, interruptChat, readerOf } from '../chats/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import type { CursorPosition, Viewer } from '../context/chat-subscriptions.ts';
import { CLOSE } from './close-codes.ts';
import { FrameBudget } from './frame-budget.ts';
import { auditDenial } from './audit-denial.ts';
import { readClientFrame } from './frames/client-frame.ts';
import { type FrameFormat, plainFrames, type Request, versionedFrames } from './frames/frame-format.ts';
import type { ServerFrame } from './frames/server-frame.ts';
import { SUBPROTOCOL, type VersionedFrame } from './frames/versioned-frame.ts';

/**
 * The most that waits unsent for one slow reader, in bytes, beside the longest frame: an answer eventually arrives as
 * one frame.
 */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const MAX_INVALID_FRAMES = 10;
/** Frames waiting to be processed, in bytes, beside the current one; further ones are left to the network. */
const MAX_WAITING_BYTES = 256 * 1024;
const PING_MS = 25_000;
/** How long a client that was told to leave may take to hang up, in milliseconds. */
const GOODBYE_MS = 2_000;

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
  readonly #budget = new FrameBudget();
  #caller: OrgCaller;
  #faultyFrames = 0;
  #longestFrame = 0;
  #waitingBytes = 0;
  #hasAnswered = true;
  #isEnding = false;
  #isShutOut = false;
  // Frames of one client are processed in the order of their arrival.
  #work: Promise<void> = Promise.resolve();

  constructor(context: ApiContext, connection: Connection) {
    this.#context = context;
    this.#connection = connection;
    this.#caller = connection.caller;
    this.#format = connection.socket.protocol === SUBPROTOCOL ? versionedFrames : plainFrames;
  }

  /** Takes over the current rights of the same user. */
  adopt(caller: OrgCaller): void {
    this.#caller = caller;
  }

  /** Serves the connection until it closes. */
  async serve(): Promise<void> {
    const { socket, caller, chatId } = this.#connection;
    socket.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary));
    // They cost as much as other frames; `ws` would answer them without limit, or hang up without a word.
    socket.on('ping', () => this.#takeFrame());
    socket.on('pong', () => {
      this.#hasAnswered = true;
      this.#takeFrame();
    });
    // `ws` closes the connection itself after a protocol error; without a listener the error would end the process.
    socket.on('error', () => undefined);
    const ping = setInterval(() => this.#ping(), PING_MS);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    let stop: () => void = () => undefined;
    try {
      stop = await this.#context.chats.subscribe({ orgId: caller.orgId, chatId }, this);
      if (this.#format.tellsPast) await this.#tellPast();
      await closed;
    } catch (error) {
      this.#reportFailure(error);
      this.close(CLOSE.tryAgainLater, 'try again later');
      await closed;
    } finally {
      stop();
      clearInterval(ping);
    }
  }

  // Steps only move forward, so it does no harm that some are told twice.
  async #tellPast(): Promise<void> {
    const { database } = this.#context;
    const turn = await findStreamedTurn(database, readerOf(this.#caller), this.#connection.chatId, undefined);
    const steps = turn && (await readTurnSteps(database, [turn.turnId])).get(turn.turnId);
    this.#tell(this.#format.joined(turn?.turnId, steps ?? []));
  }

  /** Ends the connection; frames that have arrived are still processed. */
  close(code: number, reason: string): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const { socket } = this.#connection;
    socket.close(code, reason);
    // The close frame waits behind unread data, and a client need not respond to it.
    setTimeout(() => socket.terminate(), GOODBYE_MS).unref();
  }

  /** Ends the connection of a client that has lost the right to it; none of its frames is processed any more. */
  shutOut(code: number, reason: string): void {
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

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#isEnding) return;
    if (isBinary) return this.close(CLOSE.unsupportedData, 'frames are JSON text');
    if (!this.#takeFrame()) return;
    const frame = readClientFrame(data.toString('utf8'));
    if (typeof frame === 'string') return this.#refuse(frame);
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
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#connection.socket.pause();
  }

  #end(bytes: number): void {
    this.#waitingBytes -= bytes;
    if (this.#waitingBytes <= MAX_WAITING_BYTES) this.#connection.socket.resume();
  }

  /** Counts a frame; returns false, and tells the client, when there have been too many. */
  #takeFrame(): boolean {
    if (this.#isEnding) return false;
    if (this.#budget.take()) return true;
    this.#refuse('Too many frames; wait a moment');
    return false;
  }

  async #handle(frame: Request): Promise<void> {
    if (this.#isShutOut) return;
    await asOwner(this.#context, this.#caller, this.#connection.chatId, async () => this.#act(frame));
  }

  async #act(frame: Request): Promise<void> {
    const { chatId } = this.#connection;
    if (frame.type === 'interrupt') {
      await interruptChat(this.#context, this.#caller, chatId);
      return;
    }
    const clientMessageId = frame.client_message_id ?? undefined;
    const { content, file_ids: fileIds } = frame;
    const message = { chatId, content, clientMessageId, fileIds: fileIds ?? undefined };
    this.#tell(this.#format.accepted(frame, await startTurn(this.#context, this.#caller, message)));
  }

  #refuse(message: string): void {
    this.#faultyFrames += 1;
    this.#send(this.#format.rejection(message, undefined));
    if (this.#faultyFrames >= MAX_INVALID_FRAMES) this.close(CLOSE.policyViolation, 'too many invalid frames');
  }

  #auditDenial({ type }: Request, error: unknown): void {
    const { chatId, ip } = this.#connection;
    const action = type === 'interrupt' ? 'chats.interrupt' : 'chats.stream';
    void auditDenial(this.#context, { by: this.#caller, chatId, ip, action }, error);
  }

  #reportFailure(error: unknown, request?: Request): void {
    if (error instanceof AppError) return this.#send(this.#format.rejection(error.message, request));
    if (!isDatabaseUnavailable(error)) this.#context.log.error({ err: error }, 'a frame could not be handled');
    const words = 'The message could not be stored now; send it again shortly';
    this.#send(this.#format.rejection(words, request));
  }

  #ping(): void {
    const { socket } = this.#connection;
    if (!this.#hasAnswered) return socket.terminate();
    this.#hasAnswered = false;
    socket.ping();
  }

  // Some formats have no frame for it.
  #tell(frame: VersionedFrame | undefined): void {
    if (frame !== undefined) this.#send(frame);
  }

  #send(frame: ServerFrame | VersionedFrame): void {
    const { socket } = this.#connection;
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES + this.#longestFrame) {
      this.close(CLOSE.tryAgainLater, 'reading too slowly');
      return;
    }
    const data = Buffer.from(JSON.stringify(frame));
    this.#longestFrame = Math.max(this.#longestFrame, data.byteLength);
    socket.send(data, { binary: false });
  }
}
