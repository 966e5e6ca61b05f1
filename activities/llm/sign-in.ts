import { GoogleSignInFailure, type GoogleTokens } from '../core/google-tokens.ts';
import { toProviderFailure } from './failures/describe-failure.ts';
import { ProviderFailure } from './failures/provider-failure.ts';
import { ReportedError } from './failures/reported-error.ts';
import type { ModelAccount, ModelAdapter } from './model-adapter.ts';

/** The scopes of access tokens for models of Google Cloud. */
const SCOPES = ['https://www.googleapis.com/auth/cloud-platform'];

/** Signs accounts in where that takes a call of its own. */
export class AccountSignIn {
  readonly #tokens: GoogleTokens;

  constructor(tokens: GoogleTokens) {
    this.#tokens = tokens;
  }

  /** Returns the account as its provider takes it. Throws `ProviderFailure`, without the name of the account. */
  async open(account: ModelAccount, signal: AbortSignal): Promise<ModelAccount> {
    if (account.signIn?.type !== 'service_account') return account;
    const { serviceAccount } = account.signIn;
    try {
      const accessToken = await this.#tokens.tokenFor({ serviceAccount, scopes: SCOPES }, signal);
      return { ...account, signIn: { type: 'access_token', accessToken } };
    } catch (error) {
      if (!(error instanceof GoogleSignInFailure)) throw error;
      const kind = error.isRejected ? 'credentials' : 'outage';
      throw new ProviderFailure(`could not sign in: ${error.message}`, { kind, cause: error });
    }
  }

  /**
   * Does `work` with the account as its provider takes it, and once more with another token when the provider does not
   * take the first any more. Throws like `open`, and what `work` throws.
   */
  async using<T>(account: ModelAccount, signal: AbortSignal, work: (signedIn: ModelAccount) => Promise<T>): Promise<T> {
    const signedIn = await this.open(account, signal);
    try {
      return await work(signedIn);
    } catch (error) {
      if (!this.rejected(account, signedIn, error)) throw error;
    }
    return work(await this.open(account, signal));
  }

  /**
   * Handles the failure of a call with an account signed in by `open`. Returns whether the token was rejected, which is
   * not used again, so that the call may be repeated with another one.
   */
  rejected({ signIn }: ModelAccount, signedIn: ModelAccount, error: unknown): boolean {
    if (signIn?.type !== 'service_account' || signedIn.signIn?.type !== 'access_token') return false;
    if (!isUnauthorized(error)) return false;
    this.#tokens.forget({ serviceAccount: signIn.serviceAccount, scopes: SCOPES }, signedIn.signIn.accessToken);
    return true;
  }
}

function isUnauthorized(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ReportedError) return cause.status === 401;
  return false;
}

/** Makes an adapter that signs accounts in first; those that need no call for it are not kept waiting. */
export function withSignIn(adapter: ModelAdapter, signIns: AccountSignIn): ModelAdapter {
  return (request, signal) =>
    request.account.signIn?.type === 'service_account'
      ? askSignedIn(adapter, signIns, { request, signal })
      : adapter(request, signal);
}

async function* askSignedIn(
  adapter: ModelAdapter,
  signIns: AccountSignIn,
  { request, signal }: { readonly request: Parameters<ModelAdapter>[0]; readonly signal: AbortSignal },
): ReturnType<ModelAdapter> {
  const open = async () =>
    signIns.open(request.account, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw toProviderFailure(error, { ...request, tools: [] }, undefined);
    });
  const account = await open();
  let hasBegun = false;
  try {
    for await (const event of adapter({ ...request, account }, signal)) {
      hasBegun = true;
      yield event;
    }
    return;
  } catch (error) {
    if (!signIns.rejected(request.account, account, error) || hasBegun) throw error;
  }
  yield* adapter({ ...request, account: await open() }, signal);
}

/**
 * Returns the header with which an account signs in where OpenAI's format is spoken; none without a key, since a server
 * that needs none may reject one.
 */
export function keyHeaders({ providerType, apiKey, signIn }: ModelAccount): Record<string, string> {
  if (signIn?.type === 'access_token') return { authorization: `Bearer ${signIn.accessToken}` };
  if (apiKey === undefined) return {};
  return providerType === 'azure' ? { 'api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
}
