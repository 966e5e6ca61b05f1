import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { findOrgOfChat, getChat } from '../db/chats/chat.ts';
import { AppError, notFound } from '../domain/core/app-error.ts';
import type { ApiContext, OrgCaller } from './context/api-context.ts';
import { asOrgCaller, type IdentifiedCaller, identify } from './access/authenticate.ts';
import type { Credential } from './access/bearer.ts';
import { checkHost } from './access/origins.ts';
import type { LastingConnection } from './access/connection-registry.ts';
import { readerOf } from './chats/own-chat.ts';
import { clientAddressOf } from './limits/client-address.ts';
import { internalProblem, type Problem, problemHeaders, problemOf } from './http/problem.ts';
import { ChatSocket } from './chat-socket/chat-socket.ts';
import { OrgSocket } from './org-events/org-socket.ts';
import { auditDenial } from './sockets/audit-denial.ts';
import { CLOSE } from './sockets/frame-socket.ts';
import { closingHandshake } from './sockets/closing-handshake.ts';
import { chosenSubprotocol, readUpgrade } from './sockets/read-upgrade.ts';

const MAX_FRAME_BYTES = 1024 * 1024;
/** How long the remaining clients may take to hang up when the server closes, in milliseconds. */
const GOODBYE_MS = 2_000;

interface AcceptedClient {
  readonly caller: OrgCaller;
  readonly credential: Credential;
  /** The chat whose socket it is; `undefined` for the events of an organization. */
  readonly chatId: string | undefined;
  /** The address that the request came from. */
  readonly ip: string;
}

/** A request to be upgraded to a socket, as the HTTP server hands it over. */
interface Upgrade {
  readonly request: IncomingMessage;
  readonly stream: Duplex;
  readonly head: Buffer;
}

/** The requested chat, if it is one, and the credential. */
interface ConnectionRequest {
  readonly credential: Credential;
  readonly chatId: string | undefined;
  /** Whether the caller was identified for a named organization: then no other one is considered. */
  readonly isOrgNamed: boolean;
}

/**
 * Serves `/ws/chat/{chat_id}` and `/ws/events`: accepts clients, and ends their connections when their rights end.
 */
export class SocketServer {
  readonly #context: ApiContext;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => chosenSubprotocol([...offered]) ?? false,
  });
  readonly #byUser = new Map<string, Set<ChatSocket | OrgSocket>>();
  // Includes clients that are being accepted: the HTTP server no longer knows them, and yet waits for them to close.
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
      this.#admit(request, stream)
        .then(async (admission) => this.#accept({ request, stream, head }, admission))
        .catch((error: unknown) => this.#refuse(request, stream, error));
    });
  }

  /** Asks every client to reconnect later, and accepts no more. */
  close(): void {
    this.#isClosing = true;
    for (const set of this.#byUser.values()) {
      for (const socket of set) socket.close(CLOSE.restarting, 'the server restarts');
    }
    setTimeout(() => {
      for (const stream of this.#streams) stream.destroy();
    }, GOODBYE_MS).unref();
  }

  async #admit(request: IncomingMessage, stream: Duplex): Promise<AcceptedClient> {
    checkHost(request, this.#context);
    const { chatId, credential, orgId } = readUpgrade(request);
    this.#refuseWhileClosing();
    const ip = clientAddressOf(request, this.#context);
    let found: IdentifiedCaller | undefined;
    try {
      const identified = await this.#context.requestLimits.counted(ip, async () => {
        found = await identify(this.#context, credential, orgId);
        return found;
      });
      const caller = await this.#letIn(identified, { credential, chatId, isOrgNamed: orgId !== undefined });
      this.#refuseWhileClosing();
      const leave = this.#context.connections.acquire(caller);
      // The client may have disconnected in the meantime.
      if (stream.destroyed) leave();
      else stream.once('close', leave);
      return { caller, credential, chatId, ip };
    } catch (error) {
      const by = found ?? { credential };
      void auditDenial(this.#context, { by, ip, ...attemptAt(chatId, orgId ?? found?.orgId ?? undefined) }, error);
      throw error;
    }
  }

  async #letIn(identified: IdentifiedCaller, { chatId, ...request }: ConnectionRequest): Promise<OrgCaller> {
    if (chatId !== undefined) return this.#letInto(chatId, identified, request);
    const caller = await asOrgCaller(this.#context.policies, identified);
    if (caller === undefined) throw notFound('Organization');
    return caller;
  }

  /** Accepts a client for a chat in the chat's organization, which need not be the active one. */
  async #letInto(
    chatId: string,
    identified: IdentifiedCaller,
    { credential, isOrgNamed }: Omit<ConnectionRequest, 'chatId'>,
  ): Promise<OrgCaller> {
    const { database, policies } = this.#context;
    if (!z.uuid().safeParse(chatId).success) throw notFound('Chat');
    const caller = await asOrgCaller(policies, identified);
    if (caller !== undefined && (await this.#reaches(caller, chatId))) return caller;
    const orgId = isOrgNamed ? undefined : await findOrgOfChat(database, identified.userId, chatId);
    if (orgId === undefined || orgId === identified.orgId) throw notFound('Chat');
    const known = await identify(this.#context, credential, orgId);
    return this.#letInto(chatId, known, { credential, isOrgNamed: true });
  }

  async #reaches(caller: OrgCaller, chatId: string): Promise<boolean> {
    try {
      await getChat(this.#context.database, readerOf(caller), chatId);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return false;
      throw error;
    }
  }

  #refuseWhileClosing(): void {
    if (this.#isClosing) throw new AppError('unavailable', 'The server restarts', { retryAfterSeconds: 1 });
  }

  // A client that is connected is shown all that happens from then on. Throws only while it is not. `ws` calls back at
  // once, or not at all when it rejects the handshake.
  async #accept({ request, stream, head }: Upgrade, admission: AcceptedClient): Promise<void> {
    const { caller, chatId } = admission;
    if (chatId === undefined) {
      this.#server.handleUpgrade(request, stream, head, (socket) => {
        void this.#serve(new OrgSocket(this.#context, { caller, socket }), admission);
      });
      return;
    }
    let served: Promise<void> | undefined;
    const unsubscribe = await this.#context.chats.subscribe({ orgId: caller.orgId, chatId }, () => {
      this.#refuseWhileClosing();
      let opened: ChatSocket | undefined;
      this.#server.handleUpgrade(request, stream, head, (socket) => {
        opened = new ChatSocket(this.#context, { ...admission, chatId, socket });
        served = this.#serve(opened, admission);
      });
      return opened;
    });
    void served?.finally(unsubscribe);
  }

  async #serve(socket: ChatSocket | OrgSocket, { credential, chatId, caller }: AcceptedClient): Promise<void> {
    const ofUser = this.#byUser.get(caller.userId) ?? new Set();
    this.#byUser.set(caller.userId, ofUser.add(socket));
    const check = async () => {
      // Checked in the organization that it was opened in, even if another one is active by now.
      const identified = await identify(this.#context, credential, caller.orgId);
      socket.adopt(await this.#letIn(identified, { credential, chatId, isOrgNamed: true }));
    };
    const connection: LastingConnection = {
      userId: caller.userId,
      recordIds: chatId === undefined ? [caller.orgId] : [caller.orgId, chatId],
      expiresAt: caller.expiresAt,
      check,
      end: ({ code, message }) => socket.shutOut(code === 'not_found' ? CLOSE.gone : CLOSE.unauthenticated, message),
    };
    const unregister = this.#context.access.register(connection);
    // The right to it may have ended since it was checked: only registered connections are ended by that.
    void this.#context.access.recheckOne(connection);
    await socket.serve();
    unregister();
    ofUser.delete(socket);
    if (ofUser.size === 0 && this.#byUser.get(caller.userId) === ofUser) this.#byUser.delete(caller.userId);
  }

  #refuse(request: IncomingMessage, stream: Duplex, error: unknown): void {
    const problem = problemOf(error) ?? internalProblem();
    const { requestId } = problem;
    if (requestId !== undefined) this.#context.log.error({ err: error, requestId }, 'upgrade failed');
    // A client that does not hang up in turn would keep the connection open for ever.
    stream.once('finish', () => stream.destroy());
    stream.end(closingHandshake(request, problem) ?? httpAnswer(problem));
  }
}

/** The names in the audit log of what a client asked to see. */
function attemptAt(chatId: string | undefined, orgId: string | undefined) {
  if (chatId === undefined) return { record: { type: 'orgs', id: orgId }, action: 'orgs.view_events' } as const;
  return { record: { type: 'chats', id: chatId }, action: 'chats.view' } as const;
}

// The upgrade is rejected before there is a response object to write to.
function httpAnswer(problem: Problem): string {
  const { status, detail } = problem;
  const body = JSON.stringify({ detail });
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    'Cache-Control: no-store',
    ...Object.entries(problemHeaders(problem)).map((header) => header.join(': ')),
  ];
  return `${headers.join('\r\n')}\r\n\r\n${body}`;
}
