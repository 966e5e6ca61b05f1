import { cancellationSignal } from '@temporalio/activity';
import { listConnectionsOfKind, openSecrets, type Revocation, takeRevocation } from '../../db/integrations/index.ts';
import {
  INTEGRATION_KIND_KEYS,
  integrationKind,
  type IntegrationKindKey,
  oauthAddressesOf,
} from '../../domain/integrations/index.ts';
import type { WorkOf } from '../../domain/core/due-work.ts';
import type { SignInDeps } from './finish-sign-in.ts';
import { clientOf } from './tokens/ask-for-grant.ts';
import { revokeToken } from './tokens/request-token.ts';
import { TokenFailure } from './tokens/token-failure.ts';

/**
 * Makes the activity that tells a service that what a person has granted to an integration is not needed any more,
 * once. A service that cannot be reached is not asked again.
 */
export function createRevokeGrant(deps: SignInDeps) {
  return async function revokeGrant(input: WorkOf<'grant-revocation'>): Promise<void> {
    const signal = cancellationSignal();
    const revocation = await takeRevocation(deps.database, deps.box, input);
    if (revocation === undefined || (await isShared(deps, input.orgId, revocation))) return;
    try {
      await revoke(deps, revocation, signal);
    } catch (error) {
      if (!(error instanceof TokenFailure)) throw error;
      deps.log.info({ err: error, orgId: input.orgId }, 'a grant could not be revoked');
    }
  };
}

async function revoke({ http }: SignInDeps, revocation: Revocation, signal: AbortSignal): Promise<void> {
  const { kind, clientId, clientSecret, token } = revocation;
  const url = oauthAddressesOf(revocation)?.revocationUrl;
  if (url === undefined) return;
  const client = clientOf({ kind }, { client_id: clientId, client_secret: clientSecret });
  await revokeToken(http, { url, service: integrationKind(kind).name, form: { token }, client }, signal);
}

/**
 * Returns whether another integration has a grant to the same client: services such as Google's end all that a person
 * has granted to a client at once.
 */
async function isShared({ database, box }: SignInDeps, orgId: string, ended: Revocation): Promise<boolean> {
  const all = await listConnectionsOfKind(database, orgId, kindsAt(ended.kind));
  return all.some((each) => {
    if (each.granted === null || oauthAddressesOf(each)?.tokenUrl !== oauthAddressesOf(ended)?.tokenUrl) return false;
    try {
      return openSecrets(box, each)['client_id'] === ended.clientId;
    } catch {
      return false;
    }
  });
}

function kindsAt(kind: IntegrationKindKey): readonly IntegrationKindKey[] {
  const tokenUrl = integrationKind(kind).oauth?.tokenUrl;
  return INTEGRATION_KIND_KEYS.filter((key) => integrationKind(key).oauth?.tokenUrl === tokenUrl);
}
