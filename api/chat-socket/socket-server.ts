import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { getChat } from '../../db/chats/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { ApiContext, OrgCaller } from '../core/api-context.ts';
import { asOrgCaller, authenticate, type IdentifiedCaller } from '../core/authenticate.ts';
import { checkHost } from '../core/check-host.ts';
import { clientAddressOf } from '../core/client-address.ts';
import { INTERNAL_PROBLEM, type Problem, problemOf } from '../core/problem.ts';
import { ChatSocket, CLOSE } from './chat-socket.ts';
import { noteRefusal } from './note-refusal.ts';
import { readUpgrade, unauthenticated } from './read-upgrade.ts';

const MAX_FRAME_BYTES = 1024 * 1024;
/** How long what is left may take to hang up when the server closes, in milliseconds. */
const GOODBYE_MS = 2_000;

interface Admission {
  readonly token: string;
  readonly chatId: string;
  readonly caller: OrgCaller;
  /** The address that the request came from. */
  readonly ip: string;
}

/** `/ws/chat/{chat_id}?token=`: lets clients in, and out again when their rights end. */
export class SocketServer {
  readonly #context: ApiContext;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  readonly #byUser = new Map<string, Set<ChatSocket>>();
  // Also of those that are being let in. The HTTP server does not know them any more, and yet waits for them to close.
  readonly #streams = new Set<Duplex>();
  #isClosing = false;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** How many clients are connected. */
  get openCount(): number {
    return this.#server.clients.size;
  }

  /** Serves the upgrades of an HTTP server. */
  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      stream.on('error', () => undefined);
      this.#streams.add(stream);
      stream.once('close', () => this.#streams.delete(stream));
      this.#admit(request, stream).then(
        (admission) =>
          this.#server.handleUpgrade(request, stream, head, (socket) => void this.#serve(socket, admission)),
        (error: unknown) => this.#refuse(stream, error),
      );
    });
  }

  /** Tells every client to come back later, and takes no more, also of those that are being let in. */
  close(): void {
    this.#isClosing = true;
    for (const set of this.#byUser.values()) {
      for (const socket of set) socket.close(CLOSE.restarting, 'the server restarts');
    }
    setTimeout(() => {
      for (const stream of this.#streams) stream.destroy();
    }, GOODBYE_MS).unref();
  }

  async #admit(request: IncomingMessage, stream: Duplex): Promise<Admission> {
    checkHost(request, this.#context);
    const { chatId, token } = readUpgrade(request);
    this.#refuseWhileClosing();
    const ip = clientAddressOf(request, this.#context);
    let found: IdentifiedCaller | undefined;
    try {
      const identified = await this.#context.requestLimits.counted(ip, async () => {
        found = await this.#identify(token);
        return found;
      });
      const caller = await this.#letIn(identified, chatId);
      this.#refuseWhileClosing();
      const leave = this.#context.connections.enter(caller);
      // The client may have gone meanwhile.
      if (stream.destroyed) leave();
      else stream.once('close', leave);
      return { token, chatId, caller, ip };
    } catch (error) {
      const attempt = { caller: found ?? null, token, chatId, ip, action: 'chats.view' } as const;
      void noteRefusal(this.#context, attempt, error);
      throw error;
    }
  }

  async #identify(token: string, orgId?: string): Promise<IdentifiedCaller> {
    const found = await authenticate(this.#context, token, orgId);
    if (found === undefined) throw unauthenticated();
    return found;
  }

  async #letIn(identified: IdentifiedCaller, chatId: string): Promise<OrgCaller> {
    const caller = await asOrgCaller(this.#context.policies, identified);
    if (caller === undefined || !z.uuid().safeParse(chatId).success) throw notFound('Chat');
    await getChat(this.#context.database, caller, chatId);
    return caller;
  }

  #refuseWhileClosing(): void {
    if (this.#isClosing) throw new AppError('unavailable', 'The server restarts', { retryAfterSeconds: 1 });
  }

  async #serve(webSocket: ConstructorParameters<typeof ChatSocket>[1]['socket'], admission: Admission): Promise<void> {
    const { token, chatId, caller } = admission;
    const socket = new ChatSocket(this.#context, { ...admission, socket: webSocket });
    const ofUser = this.#byUser.get(caller.userId) ?? new Set();
    this.#byUser.set(caller.userId, ofUser.add(socket));
    const stopWatching = this.#context.access.watch({
      userId: caller.userId,
      expiresAt: caller.expiresAt,
      check: async () => {
        // In the organization that it was opened in, whichever is the active one by now.
        socket.adopt(await this.#letIn(await this.#identify(token, caller.orgId), chatId));
      },
      end: ({ code, message }) => socket.shutOut(code === 'not_found' ? CLOSE.gone : CLOSE.unauthenticated, message),
    });
    await socket.serve();
    stopWatching();
    ofUser.delete(socket);
    if (ofUser.size === 0 && this.#byUser.get(caller.userId) === ofUser) this.#byUser.delete(caller.userId);
  }

  #refuse(stream: Duplex, error: unknown): void {
    const problem = problemOf(error) ?? INTERNAL_PROBLEM;
    if (problem === INTERNAL_PROBLEM) this.#context.log.error({ err: error }, 'upgrade failed');
    // Who does not hang up in turn would hold the connection for ever.
    stream.once('finish', () => stream.destroy());
    stream.end(httpAnswer(problem));
  }
}

// The upgrade is refused before there is a response object to write with.
function httpAnswer({ status, detail, retryAfterSeconds }: Problem): string {
  const body = JSON.stringify({ detail });
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...(retryAfterSeconds === undefined ? [] : [`Retry-After: ${Math.ceil(retryAfterSeconds)}`]),
  ];
  return `${headers.join('\r\n')}\r\n\r\n${body}`;
}
