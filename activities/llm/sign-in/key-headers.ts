import type { ModelAccount } from '../model-adapter.ts';

/**
 * Returns the header with which an account signs in where OpenAI's format is spoken; none without a key, since a server
 * that needs none may reject one.
 */
export function keyHeaders({ providerType, apiKey, signIn }: ModelAccount): Record<string, string> {
  if (signIn?.type === 'access_token') return { authorization: `Bearer ${signIn.accessToken}` };
  if (apiKey === undefined) return {};
  return providerType === 'azure' ? { 'api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
}
