import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Database } from '../../../db/core/database.ts';
import type { SecretBox } from '../../../db/core/secret-box.ts';
import {
  type AccountUseRef,
  leaseAccount,
  readStoredCredentials,
  releaseAccount,
  replaceCredentials,
} from '../../../db/providers/account-uses.ts';
import { KeyedSemaphore } from '../../../domain/core/keyed-semaphore.ts';
import type { HomeFiles } from '../../sandbox/cli/given-cli.ts';
import { readableCredentials } from '../model-of-account.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import type { ModelAccount } from '../model-adapter.ts';

interface AccountDeps {
  readonly database: Pick<Database, 'tenant'>;
  readonly box: SecretBox;
}

const POLL_MS = 250;
/** A third of the time after which the use of a killed worker is over. */
const RENEW_MS = 10_000;
const MAX_WAIT_MS = 10 * 60_000;
/** How large the files of one account may be together, in bytes. */
const MAX_FILES_BYTES = 65_536;

const filesSchema = z.object({ files: z.record(z.string(), z.string()) });

/**
 * Hands out accounts that a person has signed in to, each for one call at a time, in all workers: two programs that
 * renew the same tokens at once would sign the person out.
 */
export class SignedInAccounts {
  readonly #deps: AccountDeps;
  readonly #line = new KeyedSemaphore({ perKey: 1, maxWaiting: 50, maxWaitMs: MAX_WAIT_MS, createError: inUse });

  constructor(deps: AccountDeps) {
    this.#deps = deps;
  }

  /** Acquires an account as soon as nobody uses it, in its current state. It has to be released. */
  async take({ orgId, id }: ModelAccount, signal: AbortSignal): Promise<SignedInAccount> {
    if (orgId === undefined || id === null) throw new ProviderFailure('has no sign-in');
    const { promise, resolve, reject } = Promise.withResolvers<SignedInAccount>();
    const use = async () => {
      const account = await SignedInAccount.take(this.#deps, { orgId, accountId: id, holder: randomUUID() }, signal);
      resolve(account);
      await account.released;
    };
    void this.#line.run(id, use, { signal }).catch(reject);
    return promise;
  }
}

/** An account while one call uses it. */
export class SignedInAccount {
  readonly #deps: AccountDeps;
  readonly #ref: AccountUseRef;
  readonly #renewing: NodeJS.Timeout;
  readonly #release = Promise.withResolvers<void>();
  #stored: Buffer;
  #files: HomeFiles;

  private constructor(deps: AccountDeps, ref: AccountUseRef, stored: Buffer) {
    this.#deps = deps;
    this.#ref = ref;
    this.#stored = stored;
    const opened = filesSchema.safeParse(readableCredentials(deps.box, { ...this.#row, credentials: stored }));
    if (!opened.success) throw signInAgain();
    this.#files = opened.data.files;
    this.#renewing = setInterval(() => void leaseAccount(deps.database, ref).catch(() => undefined), RENEW_MS);
  }

  static async take(deps: AccountDeps, ref: AccountUseRef, signal: AbortSignal): Promise<SignedInAccount> {
    const deadline = performance.now() + MAX_WAIT_MS;
    while (!(await leaseAccount(deps.database, ref))) {
      if (performance.now() > deadline) throw inUse();
      await sleep(POLL_MS, undefined, { signal });
    }
    try {
      const stored = await readStoredCredentials(deps.database, ref);
      if (stored === null) throw signInAgain();
      return new SignedInAccount(deps, ref, stored);
    } catch (error) {
      await releaseAccount(deps.database, ref);
      throw error;
    }
  }

  get orgId(): string {
    return this.#ref.orgId;
  }

  /** The files of its sign-in. */
  get files(): HomeFiles {
    return this.#files;
  }

  /** Resolves when the call is over. */
  get released(): Promise<void> {
    return this.#release.promise;
  }

  /** Stores files that the program has renewed, unless somebody has signed in again in the meantime. */
  async keep(changed: HomeFiles): Promise<void> {
    const own = Object.entries(changed).filter(([name]) => name in this.#files);
    const files = { ...this.#files, ...Object.fromEntries(own) };
    if (own.length === 0 || sizeOf(files) > MAX_FILES_BYTES) return;
    const { database, box } = this.#deps;
    const renewed = { former: this.#stored, credentials: { files } };
    const kept = await replaceCredentials(database, box, this.#ref, renewed);
    if (kept !== undefined) [this.#stored, this.#files] = [kept, files];
  }

  async release(): Promise<void> {
    clearInterval(this.#renewing);
    this.#release.resolve();
    // Otherwise it is free when the lease has run out.
    await releaseAccount(this.#deps.database, this.#ref).catch(() => undefined);
  }

  get #row() {
    return { orgId: this.#ref.orgId, id: this.#ref.accountId };
  }
}

/** Returns the size of files in Base64, in decoded bytes. */
function sizeOf(files: HomeFiles): number {
  return Object.values(files).reduce((sum, content) => sum + Buffer.byteLength(content, 'base64'), 0);
}

function inUse(): ProviderFailure {
  return new ProviderFailure('answers one message at a time, and others wait already; try again later', {
    kind: 'busy',
  });
}

function signInAgain(): ProviderFailure {
  const words = 'has no sign-in. Its owner can sign in again under the same name';
  return new ProviderFailure(words, { kind: 'credentials' });
}
