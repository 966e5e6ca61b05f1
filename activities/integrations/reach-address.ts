import type { IntegrationConnection } from '../../db/integrations/index.ts';
import { authorizationHeaders, integrationKind, type Secrets, siblingUrlOf } from '../../domain/integrations/index.ts';
import { type GuardedHttp, HttpFailure } from '../core/network/guarded-http.ts';

const LIMIT_MS = 20_000;

/**
 * Returns the address that credentials are for with which no request of a test can be made: one among them, or that of
 * another server of the service. Undefined for all others.
 */
export function onlyAddress(
  { kind: key, apiUrl }: Pick<IntegrationConnection, 'kind' | 'apiUrl'>,
  secrets: Secrets,
): string | undefined {
  const kind = integrationKind(key);
  if (authorizationHeaders(kind, secrets) !== undefined) return undefined;
  const field = kind.fields?.find(({ name, format }) => format === 'address' && secrets[name] !== undefined);
  if (field !== undefined) return secrets[field.name];
  const [sibling] = Object.keys(kind.siblings ?? {});
  return sibling === undefined ? undefined : siblingUrlOf({ kind: key, apiUrl }, sibling);
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
