import { type IntegrationConnection, noteCheck, openSecrets } from '../../db/integrations/index.ts';
import {
  integrationKind,
  requestFields,
  type Secrets,
  tokenSourceOf,
  withAccessToken,
} from '../../domain/integrations/index.ts';
import { currentGrant, type TokenDeps } from './tokens/current-grant.ts';
import { TokenFailure } from './tokens/token-failure.ts';

/**
 * Returns the secrets that requests with an integration carry: those that are stored or, where a person has signed in
 * or a service account or an app is used, an access token in their place. A token among `rejected`, which the service
 * has just not taken, is renewed where that is possible. Throws `TokenFailure`, which the integration notes when it is
 * one of its credentials.
 */
export async function openCredentials(
  deps: TokenDeps,
  integration: IntegrationConnection,
  signal: AbortSignal,
  rejected: Secrets = {},
): Promise<Secrets> {
  const stored = decrypted(deps, integration);
  const kind = integrationKind(integration.kind);
  const source = tokenSourceOf(kind, Object.keys(stored));
  if (source === undefined) return stored;
  if (source === 'sign_in' && integration.granted === null) throw notSignedIn(integration);
  try {
    const [tokenField = ''] = requestFields(kind, Object.keys(stored));
    const wanted = { stored, rejected: rejected[tokenField] };
    const { accessToken } = await currentGrant(deps, integration, wanted, signal);
    return withAccessToken(kind, stored, accessToken);
  } catch (error) {
    if (error instanceof TokenFailure && error.kind === 'refused') await note(deps, integration, error.message);
    throw error;
  }
}

function decrypted({ box }: TokenDeps, integration: IntegrationConnection): Secrets {
  try {
    return openSecrets(box, integration);
  } catch (error) {
    const words = 'The credentials cannot be decrypted with the keys that the server has; give them again';
    throw new TokenFailure('refused', words, { cause: error });
  }
}

function notSignedIn({ name }: IntegrationConnection): TokenFailure {
  const words = `Nobody has signed in with the integration ${name}, or has to sign in again`;
  return new TokenFailure('ended', words);
}

async function note({ database }: TokenDeps, { orgId, id, connection }: IntegrationConnection, error: string) {
  await noteCheck(database, { orgId, integrationId: id }, { connection, error });
}
