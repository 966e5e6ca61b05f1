import { authorizationHeaders, type IntegrationKind, type Secrets } from '../../domain/integrations/index.ts';
import { type GuardedHttp, HttpFailure } from '../core/network/guarded-http.ts';

const LIMIT_MS = 20_000;

/** Returns the address among credentials that have nothing else to make a request with; undefined when they have. */
export function onlyAddress(
  kind: Pick<IntegrationKind, 'fields' | 'authorization'>,
  secrets: Secrets,
): string | undefined {
  if (authorizationHeaders(kind, secrets) !== undefined) return undefined;
  const field = kind.fields?.find(({ name, format }) => format === 'address' && secrets[name] !== undefined);
  return field && secrets[field.name];
}

/**
 * Shows whether the server of an address is there, and nothing about the address: to post something would be the only
 * way.
 */
export async function reachAddress(
  http: GuardedHttp,
  address: string,
  signal: AbortSignal,
): Promise<{ readonly error: string | null; readonly hasAnswered: boolean }> {
  const url = URL.parse(address)?.origin;
  if (url === undefined) return { error: 'The address is not a valid URL', hasAnswered: false };
  const request = { url, method: 'GET', headers: {}, followRedirects: false, timeoutMs: LIMIT_MS, maxBytes: 0, signal };
  try {
    const { status } = await http.request(request);
    return { error: status < 500 ? null : `The server had an internal error (status ${status})`, hasAnswered: true };
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return { error: error.message, hasAnswered: false };
  }
}
