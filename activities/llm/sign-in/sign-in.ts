import { GoogleSignInFailure, type GoogleTokens } from '../../core/google-tokens.ts';
import { toProviderFailure } from '../failures/describe-failure.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import type { ModelAccount, ModelAdapter } from '../model-adapter.ts';

/** What access tokens for models of Google Cloud are good for. */
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

  /** Notes that a provider rejected an account, so that what it was signed in with is not used again. */
  rejected({ signIn }: ModelAccount): void {
    if (signIn?.type === 'service_account')
      this.#tokens.forget({ serviceAccount: signIn.serviceAccount, scopes: SCOPES });
  }
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
  const account = await signIns.open(request.account, signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw toProviderFailure(error, { ...request, tools: [] }, undefined);
  });
  try {
    yield* adapter({ ...request, account }, signal);
  } catch (error) {
    if (error instanceof ProviderFailure && error.kind === 'credentials') signIns.rejected(request.account);
    throw error;
  }
}
