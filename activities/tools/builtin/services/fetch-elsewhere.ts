import type { GuardedResponse, Service, ServiceAnswer, ToolContext } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { sendRequest } from '../../requests/send-request.ts';

const TIMEOUT_MS = 60_000;

interface Elsewhere {
  readonly service: Service;
  readonly context: Pick<ToolContext, 'http' | 'signal'>;
  readonly maxBytes: number;
}

/**
 * Fetches what an answer leads to, such as a file in the storage of the service, without any credentials: the address
 * itself is what opens it, so no message holds it.
 */
export async function fetchElsewhere(
  { headers }: Pick<ServiceAnswer, 'headers'>,
  { service, context, maxBytes }: Elsewhere,
): Promise<Buffer> {
  const url = URL.parse(headers.get('location') ?? '');
  if (url === null) throw new ToolFailure('upstream', `${service.name} does not say where this is`);
  const request = { url: url.href, method: 'GET', headers: {}, body: undefined, followRedirects: false };
  const answer = await sendRequest({ ...request, timeoutMs: TIMEOUT_MS, maxBytes }, 'read', context);
  return bodyOf(answer, maxBytes);
}

function bodyOf({ status, body, isTruncated }: GuardedResponse, maxBytes: number): Buffer {
  if (status >= 300) throw new ToolFailure('upstream', `The storage of the service answers with the status ${status}`);
  if (isTruncated) throw new ToolFailure('upstream', `It is larger than ${maxBytes} bytes`);
  return body;
}
