import type { OrgCaller, SignedInCaller } from '../context/api-context.ts';

/** The sender of a request; a public route has none. */
export type Caller = SignedInCaller | OrgCaller | undefined;

/** How long an authorization stays valid while its request waits, in milliseconds. */
const ADMISSION_MS = 200;

/**
 * The authorization of one request, which is renewed when the request has waited: its sender may have lost the right.
 */
export class Admission {
  readonly #authorizeAgain: () => Promise<Caller>;
  #caller: Caller;
  #at = performance.now();

  /** `caller` was authorized just now. */
  constructor(caller: Caller, authorizeAgain: () => Promise<Caller>) {
    this.#caller = caller;
    this.#authorizeAgain = authorizeAgain;
  }

  /** Returns the caller, authorized not long ago. Throws when they have lost the right. */
  async current(): Promise<Caller> {
    return performance.now() - this.#at > ADMISSION_MS ? this.renew() : this.#caller;
  }

  /** Returns the caller, authorized now. Throws when they have lost the right. */
  async renew(): Promise<Caller> {
    this.#caller = await this.#authorizeAgain();
    this.#at = performance.now();
    return this.#caller;
  }
}
