import { randomUUID } from 'node:crypto';
import { types } from 'node:util';
import { type AgentCard, type Message, type Part, Role, type Task, TaskState } from '@a2a-js/sdk';
import {
  type AgentCardResolverOptions,
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { A2A_ERROR_CODE, isJsonRpcError, TaskNotCancelableError } from '@a2a-js/sdk/errors';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { hasSourceNumber } from '../../../../domain/core/exact-json.ts';
import { parseForeignJson } from '../../../../domain/core/foreign-json.ts';
import { isObject } from '../../../../domain/core/objects.ts';
import { isStorableText, toStorableText } from '../../../../domain/core/text.ts';
import { authorizationHeaders } from '../../../../domain/integrations/address.ts';
import { integrationKind } from '../../../../domain/integrations/kinds/index.ts';
import { type GuardedHttp, type GuardedResponse, HttpFailure } from '../../../core/network/guarded-http.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { type Account, type Reach, RejectedCredentials, saidBy } from './connections.ts';

/** How far an agent of another platform is with a message. */
export type RemoteState =
  | 'working'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'rejected'
  | 'input-required'
  | 'auth-required';

/** The state of a remote agent's answer. */
export interface RemoteAnswer {
  /** Its task; undefined where it has answered at once, without one. */
  readonly taskId: string | undefined;
  readonly state: RemoteState;
  /** The answer, or an explanation of its state. Without secrets. */
  readonly text: string;
}

/** A message for an agent of another platform. */
export interface RemoteMessage {
  /** The same whenever it is sent. */
  readonly id: string;
  readonly text: string;
  /** The longest time that its answer is waited for: some agents answer only when they have finished. */
  readonly timeoutMs: number;
}

/**
 * An agent of another platform. Each method throws `ToolFailure`, which is uncertain where a message may have arrived.
 */
export interface RemoteAgent {
  /**
   * Gives it a message. The signal of the call does not end this: whether a message that was broken off has arrived
   * stays unknown.
   */
  send(message: RemoteMessage): Promise<RemoteAnswer>;
  /** Asks how far it is with a task. */
  poll(taskId: string): Promise<RemoteAnswer>;
  /** Asks it to end a task; one that has ended stays as it is. */
  cancel(taskId: string): Promise<void>;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_TASK_ID = 500;
const CARD_MS = 5 * 60_000;
/** Of all cards that are kept; a larger one is read each time. */
const MAX_CARDS_CHARACTERS = 8 * 1024 * 1024;
const NEVER = new AbortController().signal;

const cardSchema = z.looseObject({
  supportedInterfaces: z
    .array(z.looseObject({ url: z.string().max(2_000), protocolBinding: z.string(), protocolVersion: z.string() }))
    .max(100),
});

/** The cards that were read lately, each with the one interface that is used, by the connections of integrations. */
const cards = new LRUCache<string, AgentCard>({
  maxSize: MAX_CARDS_CHARACTERS,
  sizeCalculation: (card) => JSON.stringify(card).length,
  ttl: CARD_MS,
});

/**
 * Opens the agent of an integration by its card. A card that was read lately with the same `connection` is not read
 * again.
 */
export async function openRemoteAgent(account: Account, reach: Reach, connection?: string): Promise<RemoteAgent> {
  const known = connection === undefined ? undefined : cards.get(connection);
  const card = known ?? (await readCard(account, reach));
  if (known === undefined && connection !== undefined) cards.set(connection, card);
  const quick = await clientFor(account, reach.http, card, { timeoutMs: TIMEOUT_MS, signal: reach.signal });
  const asked = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      reach.signal.throwIfAborted();
      throw failureOf(account, error);
    }
  };
  return {
    send: async ({ id, text, timeoutMs }) =>
      asked(async () => {
        const client = await clientFor(account, reach.http, card, { timeoutMs, signal: NEVER });
        return answerOf(account, await client.sendMessage(messageOf(id, text)));
      }),
    poll: async (id) => asked(async () => answerOf(account, await quick.getTask({ tenant: '', id, historyLength: 0 }))),
    cancel: async (id) =>
      asked(async () => {
        await quick.cancelTask({ tenant: '', id, metadata: undefined }).catch((error: unknown) => {
          if (!(error instanceof TaskNotCancelableError)) throw error;
        });
      }),
  };
}

/** Reads the card, and asks the endpoint that it names for a task that is not there: whatever it answers, it is one. */
export async function signInToRemoteAgent(account: Account, reach: Reach): Promise<void> {
  const agent = await openRemoteAgent(account, reach);
  await agent.poll(randomUUID()).catch((error: unknown) => {
    if (!(error instanceof ToolFailure && error.isForeign)) throw error;
  });
}

async function readCard(account: Account, { http, signal }: Reach): Promise<AgentCard> {
  const fetchImpl = fetchFor(account, http, { timeoutMs: TIMEOUT_MS, signal });
  const resolver = new DefaultAgentCardResolver({ fetchImpl, legacyCompat: { enabled: true } });
  const card = await resolver.resolve(account.apiUrl, '').catch((error: unknown) => {
    signal.throwIfAborted();
    const failure = failureOf(account, error);
    throw failure.isForeign || failure.kind === 'not_found' ? noCard() : failure;
  });
  if (!cardSchema.safeParse(card).success) throw noCard();
  const spoken = card.supportedInterfaces.filter(({ protocolBinding }) => protocolBinding.toUpperCase() === 'JSONRPC');
  const chosen =
    spoken.find(({ protocolVersion }) => protocolVersion.startsWith('1.')) ??
    spoken.find(({ protocolVersion }) => protocolVersion.startsWith('0.3'));
  if (chosen === undefined)
    throw new ToolFailure('upstream', 'The agent speaks neither version 1.0 nor 0.3 of the protocol by JSON-RPC');
  // Credentials go to no address that nobody has named.
  if (Object.keys(authorizationOf(account)).length > 0 && !isAtCard(account, chosen.url))
    throw new ToolFailure('denied', 'The card names an endpoint on another server, where credentials are not sent');
  return { ...card, supportedInterfaces: [chosen] };
}

function noCard(): ToolFailure {
  return new ToolFailure('upstream', 'There is no card of an A2A agent at the address: check the base_url');
}

interface ExchangeLimit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function clientFor(account: Account, http: GuardedHttp, card: AgentCard, limit: ExchangeLimit): Promise<Client> {
  const fetchImpl = fetchFor(account, http, limit);
  const transports = [new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } })];
  return new ClientFactory({ transports }).createFromAgentCard(card);
}

type Fetch = NonNullable<AgentCardResolverOptions['fetchImpl']>;

/** Returns what sends requests for the client of the protocol: to allowed addresses only, with a bounded answer. */
function fetchFor(account: Account, http: GuardedHttp, { timeoutMs, signal }: ExchangeLimit): Fetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const answer = await http.request({
      url,
      method: init.method ?? 'GET',
      headers: {
        ...Object.fromEntries(new Headers(init.headers)),
        ...(isAtCard(account, url) && authorizationOf(account)),
      },
      body: typeof init.body === 'string' ? init.body : undefined,
      followRedirects: false,
      timeoutMs,
      maxBytes: MAX_BYTES,
      signal,
    });
    return checked(account, answer);
  };
}

function checked({ name }: Account, { status, body, isTruncated }: GuardedResponse): Response {
  const refusal = refusalOf(name, status);
  if (refusal !== undefined) throw refusal;
  const broken = (words: string) =>
    new ToolFailure('upstream', `The answer of ${name} ${words}`, { isUncertain: status < 400 || status >= 500 });
  if (isTruncated) throw broken(`is larger than ${MAX_BYTES} bytes`);
  const text = body.toString();
  const parsed = parseForeignJson(text, { isExact: true });
  if ('issue' in parsed) throw broken(parsed.isTooLarge ? 'is too large' : `is not JSON (status ${status})`);
  // Such as a 5xx of a gateway, behind which the agent may be working.
  if (status >= 400 && !isOfProtocol(parsed.value)) throw broken(`is no answer of an agent (status ${status})`);
  const readable = hasSourceNumber(parsed.value) ? JSON.stringify(withTextOfNumbers(parsed.value)) : text;
  return new Response(readable, { status, headers: { 'content-type': 'application/json' } });
}

/** Returns an answer with a text for each part whose data have numbers that the client of the protocol would change. */
function withTextOfNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTextOfNumbers);
  if (!isObject(value)) return value;
  const { data, kind, ...part } = value;
  if (data !== undefined && hasSourceNumber(data))
    return { ...part, ...(kind !== undefined && { kind: 'text' }), text: JSON.stringify(data) };
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withTextOfNumbers(each)]));
}

function isOfProtocol(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'jsonrpc' in answer;
}

function refusalOf(name: string, status: number): ToolFailure | undefined {
  if (status === 401 || status === 403) return new RejectedCredentials(name);
  if (status >= 300 && status < 400) return new ToolFailure('denied', `${name} redirects to another address`);
  if (status === 404) return new ToolFailure('not_found', `${name} is not found at its address (status 404)`);
  if (status === 429) return new ToolFailure('rate_limited', `${name} asks for fewer requests (status 429)`);
  return undefined;
}

function authorizationOf({ kind, secrets }: Account): Readonly<Record<string, string>> {
  return authorizationHeaders(integrationKind(kind), secrets) ?? {};
}

function isAtCard({ apiUrl }: Account, url: string): boolean {
  return URL.parse(url)?.origin === URL.parse(apiUrl)?.origin;
}

function messageOf(messageId: string, text: string) {
  return {
    tenant: '',
    message: {
      messageId,
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: 'text' as const, value: text },
          metadata: undefined,
          filename: '',
          mediaType: 'text/plain',
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true },
    metadata: undefined,
  };
}

const STATES: ReadonlyMap<TaskState | undefined, RemoteState> = new Map([
  [TaskState.TASK_STATE_COMPLETED, 'completed'],
  [TaskState.TASK_STATE_FAILED, 'failed'],
  [TaskState.TASK_STATE_CANCELED, 'canceled'],
  [TaskState.TASK_STATE_REJECTED, 'rejected'],
  [TaskState.TASK_STATE_INPUT_REQUIRED, 'input-required'],
  [TaskState.TASK_STATE_AUTH_REQUIRED, 'auth-required'],
]);

function answerOf(account: Account, result: Message | Task): RemoteAnswer {
  const shown = (texts: readonly string[]) => toStorableText(account.mask(texts.filter(Boolean).join('\n')));
  if (!('status' in result)) return { taskId: undefined, state: 'completed', text: shown(textsOf(result.parts)) };
  const { id, artifacts, status } = result;
  if (id === '' || id.length > MAX_TASK_ID || !isStorableText(id))
    throw new ToolFailure('upstream', `${account.name} has named no task`, { isUncertain: true });
  const state = STATES.get(status?.state) ?? 'working';
  const ofArtifacts = artifacts.map(({ parts }) => textsOf(parts).join(''));
  const said = textsOf(status?.message?.parts ?? []);
  const isAnswered = state === 'completed' && ofArtifacts.some((text) => text !== '');
  return { taskId: id, state, text: shown(isAnswered ? ofArtifacts : [...said, ...ofArtifacts]) };
}

function textsOf(parts: readonly Part[]): readonly string[] {
  return parts.map(({ content, filename, mediaType }) => {
    if (content?.$case === 'text') return content.value;
    if (content?.$case === 'data') return JSON.stringify(content.value) ?? '';
    return `[A file that is not taken: ${[filename, mediaType].filter(Boolean).join(', ') || 'without a name'}]`;
  });
}

function failureOf(account: Account, error: unknown): ToolFailure {
  for (let cause = error; types.isNativeError(cause); cause = cause.cause) {
    if (cause instanceof ToolFailure) return cause;
    if (cause instanceof HttpFailure)
      return new ToolFailure(cause.kind, `${account.name} could not be asked: ${cause.message}`, {
        isUncertain: cause.mayHaveArrived,
        cause: error,
      });
  }
  const message = `${account.name} has answered with an error: ${saidBy(account, error)}`;
  return new ToolFailure('upstream', message, { isUncertain: !isRefusal(error), isForeign: true, cause: error });
}

/** Codes of the protocol by which an agent refuses a request instead of failing at it. */
const REFUSALS: ReadonlySet<number> = new Set([
  A2A_ERROR_CODE.PARSE_ERROR,
  A2A_ERROR_CODE.INVALID_REQUEST,
  A2A_ERROR_CODE.METHOD_NOT_FOUND,
  A2A_ERROR_CODE.INVALID_PARAMS,
  A2A_ERROR_CODE.TASK_NOT_FOUND,
  A2A_ERROR_CODE.TASK_NOT_CANCELABLE,
  A2A_ERROR_CODE.PUSH_NOTIFICATION_NOT_SUPPORTED,
  A2A_ERROR_CODE.UNSUPPORTED_OPERATION,
  A2A_ERROR_CODE.CONTENT_TYPE_NOT_SUPPORTED,
  A2A_ERROR_CODE.EXTENDED_CARD_NOT_CONFIGURED,
  A2A_ERROR_CODE.EXTENSION_SUPPORT_REQUIRED,
  A2A_ERROR_CODE.VERSION_NOT_SUPPORTED,
]);

function isRefusal(error: unknown): boolean {
  return isJsonRpcError(error) && REFUSALS.has(error.envelopeCode);
}
