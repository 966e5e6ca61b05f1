import { randomUUID } from 'node:crypto';
import { Role, type SendMessageRequest, type TaskPushNotificationConfig } from '@a2a-js/sdk';
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';

/** The versions of the protocol that the official client speaks. */
export const A2A_VERSIONS = ['1.0', '0.3'] as const;
export type A2aVersion = (typeof A2A_VERSIONS)[number];

/** The address under which users reach the service of tests, as cards name it. */
const PUBLIC_URL = 'https://everturn.example.com';

interface A2aTarget {
  readonly url: string;
  readonly token: string;
  readonly agentId: string;
}

/** Connects the official client to an agent, by its card, with a bearer token. */
export async function connectA2aClient(
  { url, token, agentId }: A2aTarget,
  version: A2aVersion = '1.0',
): Promise<Client> {
  const fetchImpl: typeof fetch = async (input, init) => {
    const address = String(input instanceof Request ? input.url : input).replace(PUBLIC_URL, url);
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(address, { ...init, headers });
  };
  const legacyCompat = { enabled: true };
  const resolver = new DefaultAgentCardResolver({ fetchImpl, legacyCompat });
  const card = await resolver.resolve(`${url}/a2a/agents/${agentId}/`);
  const supportedInterfaces = card.supportedInterfaces.filter(({ protocolVersion }) => protocolVersion === version);
  const transports = [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })];
  return new ClientFactory({ transports, cardResolver: resolver }).createFromAgentCard({
    ...card,
    supportedInterfaces,
  });
}

interface AskOptions {
  readonly contextId?: string;
  readonly taskId?: string;
  readonly messageId?: string;
  /** Whether the answer is not waited for. */
  readonly isLeft?: boolean;
  /** Where its sender is notified. */
  readonly push?: TaskPushNotificationConfig;
}

/** Returns the request that gives an agent a message. */
export function messageTo(
  text: string,
  { contextId = '', taskId = '', messageId = randomUUID(), isLeft = false, push }: AskOptions = {},
): SendMessageRequest {
  return {
    tenant: '',
    message: {
      messageId,
      contextId,
      taskId,
      role: Role.ROLE_USER,
      parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: { acceptedOutputModes: [], taskPushNotificationConfig: push, returnImmediately: isLeft },
    metadata: undefined,
  };
}
