import { isDeepStrictEqual } from 'node:util';
import { type IntegrationConnection, noteCheck } from '../../db/integrations/connections.ts';
import { openSecrets } from '../../db/integrations/integrations.ts';
import { integrationKind } from '../../domain/integrations/kinds/index.ts';
import { requestFields, tokenSourceOf, withAccessToken } from '../../domain/integrations/oauth.ts';
import type { Secrets } from '../../domain/integrations/integration-kind.ts';
import { SecretMask } from '../core/secret-mask.ts';
import { currentGrant, type TokenDeps } from './current-grant.ts';
import { TokenFailure } from './request-token.ts';

/**
 * Returns the secrets for requests with an integration: the stored ones, or an access token instead where a person has
 * signed in or a service account or an app is used. A token among `rejected`, which the service has just refused, is
 * renewed where that is possible. Throws `TokenFailure`, which the integration notes when it is one of its credentials.
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

/** Where the secrets of a call come from. */
interface SecretSource {
  /** Returns a replacement for those that the service has rejected, or the same where they cannot be renewed. */
  renew(rejected: Secrets): Promise<Secrets>;
  /** Returns the values that texts of the service must not repeat. */
  masked(secrets: Secrets): readonly string[];
}

/** The secrets for the requests of one call. They are renewed once, when the service rejects them. */
export class CallSecrets {
  readonly #source: SecretSource;
  readonly #first: Secrets;
  #secrets: Secrets;
  #mask: SecretMask;
  #renewal: Promise<void> | undefined;

  constructor(secrets: Secrets, source: SecretSource) {
    this.#source = source;
    this.#first = secrets;
    this.#secrets = secrets;
    this.#mask = new SecretMask(source.masked(secrets));
  }

  get secrets(): Secrets {
    return this.#secrets;
  }

  /** Masks the secrets in a text, those before a renewal too. */
  mask(text: string): string {
    return this.#mask.mask(text);
  }

  /** Does so with the beginning of a text, which may end within a secret. */
  maskBeginning(text: string): string {
    return this.#mask.maskBeginning(text);
  }

  /**
   * Sends a request, and once more with renewed secrets when the service does not take these. A service that has
   * rejected the credentials has done nothing, so a request with an effect may be sent again too; `isRejected` says
   * otherwise where the answer is that of another address.
   */
  async send<T extends { readonly status: number }>(
    request: (secrets: Secrets) => Promise<T>,
    isRejected: (answer: T) => boolean = ({ status }) => status === 401,
  ): Promise<T> {
    const sentWith = this.#secrets;
    const answer = await request(sentWith);
    if (!isRejected(answer)) return answer;
    // Requests that were sent at the same time share one renewal.
    this.#renewal ??= this.#renew(sentWith);
    await this.#renewal;
    return this.#secrets === sentWith ? answer : request(this.#secrets);
  }

  async #renew(rejected: Secrets): Promise<void> {
    const renewed = await this.#source.renew(rejected);
    if (isDeepStrictEqual(renewed, rejected)) return;
    this.#secrets = renewed;
    this.#mask = new SecretMask([this.#first, renewed].flatMap((each) => this.#source.masked(each)));
  }
}
