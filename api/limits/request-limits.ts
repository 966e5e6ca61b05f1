import { createHash } from 'node:crypto';
import { type Database, isDatabaseUnavailable, type Payers } from '../../db/core/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { networkOf } from '../../domain/network/index.ts';
import type { SignedInCaller } from '../context/api-context.ts';
import { SharedAllowance } from './shared-allowance.ts';

/** Requests a minute; 0 is unlimited. */
export interface RequestRates {
  readonly perUser: number;
  readonly perKey: number;
  /** Requests from an address without valid credentials. */
  readonly perAddress: number;
  /** Requests to the webhook of one workflow, or of one project. */
  readonly perWebhook: number;
}

const WINDOW_SECONDS = 60;
/** All webhooks of one owner's organizations together get so many times the requests of one. */
const WEBHOOKS_OF_OWNER = 10;

/**
 * Limits the rate of requests. A request with valid credentials counts for its user, and for its API key if it has one;
 * any other counts for its address, which may be that of a proxy with many users.
 */
export class RequestLimits {
  readonly #ofUser: SharedAllowance | undefined;
  readonly #ofKey: SharedAllowance | undefined;
  readonly #ofAddress: SharedAllowance | undefined;
  readonly #ofWebhook: SharedAllowance | undefined;
  readonly #ofWebhooks: SharedAllowance | undefined;
  readonly #payers: Payers;

  constructor(database: Database, { perUser, perKey, perAddress, perWebhook }: RequestRates) {
    const allowance = (name: string, limit: number) =>
      limit === 0 ? undefined : new SharedAllowance(database, { name, limit, windowSeconds: WINDOW_SECONDS });
    this.#ofUser = allowance('requests-user', perUser);
    this.#ofKey = allowance('requests-key', perKey);
    this.#ofAddress = allowance('requests-address', perAddress);
    this.#ofWebhook = allowance('requests-webhook', perWebhook);
    this.#ofWebhooks = allowance('requests-webhooks-of-owner', WEBHOOKS_OF_OWNER * perWebhook);
    this.#payers = database.payers;
  }

  /** Counts a request for the caller that `identify` finds; throws `limit_reached` after too many. */
  async counted<T extends Pick<SignedInCaller, 'userId' | 'keyId'>>(
    address: string,
    identify: () => Promise<T>,
  ): Promise<T> {
    const caller = await identify().catch(async (error: unknown) => {
      if (error instanceof AppError && error.code === 'unauthenticated') await this.countStranger(address);
      throw error;
    });
    // A request that is rejected for a key costs its user nothing: they can still sign in and revoke it.
    if (caller.keyId !== undefined) await take(this.#ofKey, caller.keyId);
    await take(this.#ofUser, caller.userId);
    return caller;
  }

  /** Counts a request without credentials; throws `limit_reached` after too many from its address. */
  async countStranger(address: string): Promise<void> {
    await take(this.#ofAddress, createHash('sha256').update(networkOf(address)).digest('base64url'));
  }

  /**
   * Counts a request to the webhook of a workflow or project, and for the owner of its organization; throws
   * `limit_reached` after too many.
   */
  async countWebhook({ id, orgId }: { readonly id: string; readonly orgId: string }): Promise<void> {
    await take(this.#ofWebhook, id);
    await take(this.#ofWebhooks, (await this.#payers.of(orgId)).ownerId);
  }
}

async function take(allowance: SharedAllowance | undefined, key: string): Promise<void> {
  try {
    await allowance?.take(key);
  } catch (error) {
    // Operations that need the database will fail by themselves, and the rest goes on.
    if (!isDatabaseUnavailable(error)) throw error;
  }
}
