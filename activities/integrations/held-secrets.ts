import { isDeepStrictEqual } from 'node:util';
import { integrationKind, type Secrets } from '../../../../domain/integrations/index.ts';
import { maskedSecrets } from '../../../core/masked-secrets.ts';
import { SecretMask } from '../../../core/secret-mask.ts';
import type { ServiceAccount } from './open-service.ts';

/** The secrets that the requests of one call carry. They are renewed once, when the service does not take them. */
export class HeldSecrets {
  readonly #account: Pick<ServiceAccount, 'kind' | 'openSecrets'>;
  readonly #values: readonly string[];
  #secrets: Secrets;
  #mask: SecretMask;
  #renewal: Promise<void> | undefined;

  private constructor(account: Pick<ServiceAccount, 'kind' | 'openSecrets'>, secrets: Secrets) {
    this.#account = account;
    this.#secrets = secrets;
    this.#values = maskedSecrets(integrationKind(account.kind), secrets);
    this.#mask = new SecretMask(this.#values);
  }

  static async open(account: Pick<ServiceAccount, 'kind' | 'openSecrets'>): Promise<HeldSecrets> {
    return new HeldSecrets(account, await account.openSecrets());
  }

  get secrets(): Secrets {
    return this.#secrets;
  }

  /** Masks the secrets in a text, those before a renewal too. */
  mask(text: string): string {
    return this.#mask.mask(text);
  }

  /**
   * Replaces secrets that the service has rejected, where they can be renewed; otherwise they stay. Requests of the
   * call that were sent at the same time share one renewal.
   */
  async renew(rejected: Secrets): Promise<void> {
    this.#renewal ??= this.#replace(rejected);
    await this.#renewal;
  }

  async #replace(rejected: Secrets): Promise<void> {
    const renewed = await this.#account.openSecrets(rejected);
    if (isDeepStrictEqual(renewed, rejected)) return;
    this.#secrets = renewed;
    this.#mask = new SecretMask([...this.#values, ...maskedSecrets(integrationKind(this.#account.kind), renewed)]);
  }
}
