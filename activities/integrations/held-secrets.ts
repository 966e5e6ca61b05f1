import { isDeepStrictEqual } from 'node:util';
import type { Secrets } from '../../domain/integrations/index.ts';
import { SecretMask } from '../core/secret-mask.ts';

/** Where the secrets of a call come from. */
export interface SecretSource {
  /** Returns others in the place of those that the service has rejected, or the same where they cannot be renewed. */
  renew(rejected: Secrets): Promise<Secrets>;
  /** Returns the values that texts of the service must not repeat. */
  masked(secrets: Secrets): readonly string[];
}

/** The secrets that the requests of one call carry. They are renewed once, when the service does not take them. */
export class HeldSecrets {
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
   * Sends a request, and once more with renewed secrets when the service does not take these. A service that has let
   * nobody in has done nothing, so one that has an effect may be sent anew too; `isRejected` says otherwise where the
   * answer is that of another address.
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
