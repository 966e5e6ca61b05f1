import { AgentCard } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { A2A_ERROR_CODE, RequestMalformedError, toJsonRpcError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { PublishedAgent } from '../../db/agents/find-agents.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import type { RelayedAnswer } from '../http/define-route.ts';
import { rpcFailure } from '../http/replies/failure-form.ts';
import type { SseReply } from '../http/sse-reply.ts';
import { withPlainNumbers } from '../../domain/core/exact-json.ts';
import { isObject } from '../../domain/core/objects.ts';
import { A2A_VERSIONS, cardOf } from './agent-card.ts';
import type { A2aRequest } from './schema.ts';
import { protocolErrorOf, TaskRequests } from './task-requests.ts';

interface Incoming {
  readonly context: ApiContext;
  readonly caller: OrgCaller;
  readonly agent: PublishedAgent;
  readonly request: A2aRequest;
  /** The version of the protocol that the request names. */
  readonly version: string | undefined;
  /** The address that it came from. */
  readonly ip: string;
  readonly reply: SseReply;
}

const UNREAD = 'params must be those of the method';

/** Has the protocol's library answer a request, either with one response or with a stream. */
export async function serveRequest({
  context,
  caller,
  agent,
  request,
  version,
  ip,
  reply,
}: Incoming): Promise<RelayedAnswer | undefined> {
  const requestedVersion = versionOf(request, version);
  if (requestedVersion === undefined)
    return failed(request, new VersionNotSupportedError(`Only these versions are spoken: ${A2A_VERSIONS.join(', ')}`));
  reply.watch();
  const tasks = new TaskRequests({
    context,
    caller,
    agentId: agent.id,
    card: AgentCard.fromJSON(cardOf(context.publicUrl, agent)),
    version: requestedVersion,
    ip,
    signal: reply.closed.signal,
  });
  const Handler = requestedVersion === '0.3' ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler;
  const readable = withReadableNumbers(request);
  const answer: object = await new Handler(tasks).handle(readable, new ServerCallContext({ requestedVersion }));
  if (tasks.failure !== undefined) throw tasks.failure;
  if (!isStream(answer))
    return isUnread(answer) ? failed(request, new RequestMalformedError(UNREAD)) : answered(answer);
  try {
    await relay(answer, request, reply);
    return undefined;
  } catch (error) {
    const known = protocolErrorOf(error);
    // Of a stream that has begun, the connection is closed: the client asks for the task again.
    if (known === undefined || reply.isOpen) throw error;
    return failed(request, known);
  }
}

/** Returns a request with the numbers that the protocol's library reads; data for the agent keep theirs exactly. */
function withReadableNumbers(request: A2aRequest): A2aRequest {
  const plain = withPlainNumbers(request);
  const [given, read] = [partsOf(request), partsOf(plain)];
  for (const [at, part] of read.entries()) {
    const sent = given[at];
    if (isObject(part) && isObject(sent) && 'data' in sent) part['data'] = sent['data'];
  }
  return plain;
}

function partsOf({ params }: A2aRequest): readonly unknown[] {
  const message = params?.['message'];
  const parts = isObject(message) ? message['parts'] : undefined;
  return Array.isArray(parts) ? parts : [];
}

// Infers the protocol version of a request that names none from its method: former versions write methods as paths.
function versionOf({ method }: A2aRequest, named = ''): (typeof A2A_VERSIONS)[number] | undefined {
  if (named === '') return method.includes('/') ? '0.3' : '1.0';
  const [major, minor] = named.split('.');
  return A2A_VERSIONS.find((version) => version === `${major}.${minor}`);
}

// Failures of this service are thrown before: the library has failed to read the request.
function isUnread(answer: object): boolean {
  return 'error' in answer && isObject(answer.error) && answer.error['code'] === A2A_ERROR_CODE.INTERNAL_ERROR;
}

function isStream(answer: object): answer is AsyncIterable<object> {
  return Symbol.asyncIterator in answer;
}

async function relay(events: AsyncIterable<object>, { id = null }: A2aRequest, reply: SseReply): Promise<void> {
  for await (const event of events) {
    // Opened after the first event, so that a rejected request is answered with one response.
    if (!reply.isOpen) reply.open({ failure: (message) => rpcFailure(id, message) });
    reply.sendData(JSON.stringify(event));
  }
  reply.end();
}

function answered(body: object): RelayedAnswer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function failed({ id = null }: A2aRequest, error: unknown): RelayedAnswer {
  return answered({ jsonrpc: '2.0', id, error: toJsonRpcError(error) });
}
