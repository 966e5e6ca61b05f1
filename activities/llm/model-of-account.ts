import { findCatalogEntry } from '../../builtin/index.ts';
import { type SealedRow, type SecretBox, UnreadableSecret, whyUnreadable } from '../../db/core/secret-box.ts';
import { type Credentials, openCredentials } from '../../db/providers/provider-accounts.ts';
import type { TurnAccount } from '../../db/providers/for-turn.ts';
import { isCliProvider } from '../../domain/providers/credential-forms.ts';
import { readSignIn } from '../../domain/providers/sign-in.ts';
import { ProviderFailure } from './failures/provider-failure.ts';
import type { ModelAccount } from './model-adapter.ts';

/** The account, model and wire format of a call. */
export interface ChosenModel {
  readonly account: ModelAccount;
  readonly model: string;
  readonly streamType: string;
}

/** The scripted model, which every organization has without an account. */
export const DEMO_MODEL: ChosenModel = {
  account: { id: null, name: 'Demo', providerType: 'demo', baseUrl: undefined, apiKey: undefined },
  model: 'demo',
  streamType: 'demo',
};

type CalledAccount = Pick<
  TurnAccount,
  'id' | 'orgId' | 'providerType' | 'name' | 'credentials' | 'modelName' | 'baseUrl'
>;

/**
 * Returns how to call an account, with the wanted model or else its own: the account's settings first, then the
 * catalog's. Throws `ProviderFailure` when neither gives a necessary setting, and when its credentials cannot be read.
 */
export function modelOfAccount(box: SecretBox, account: CalledAccount, wantedModel: string | null): ChosenModel {
  const { id, name, providerType } = account;
  const entry = findCatalogEntry(providerType);
  if (entry === undefined)
    throw new ProviderFailure(`${name} is of the type "${providerType}", which no longer exists`);
  if (entry.streamType === 'demo') return { ...DEMO_MODEL, account: { ...DEMO_MODEL.account, id, name } };
  const model = wantedModel ?? account.modelName ?? entry.defaultModel;
  const baseUrl = account.baseUrl ?? entry.baseUrl;
  if (model === null)
    throw new ProviderFailure(`${name} has no model: set model_name on the account or model_pref on the agent`);
  if (isCliProvider(entry.streamType)) {
    const signedIn = { id, name, providerType, orgId: account.orgId, baseUrl: undefined, apiKey: undefined };
    return { account: signedIn, model, streamType: entry.streamType };
  }
  if (baseUrl === null) throw new ProviderFailure(`${name} has no address: set base_url on the account`);
  return {
    account: { id, name, providerType, baseUrl, ...signInOf(box, account, baseUrl) },
    model,
    streamType: entry.streamType,
  };
}

function signInOf(box: SecretBox, account: CalledAccount, baseUrl: string): Pick<ModelAccount, 'apiKey' | 'signIn'> {
  if (account.credentials === null) return { apiKey: undefined };
  const { providerType, name } = account;
  const read = readSignIn({ providerType, baseUrl }, readableCredentials(box, account, name));
  if ('issue' in read) throw new ProviderFailure(`${name} cannot sign in: its credentials ${read.issue}`);
  const { signIn } = read;
  return signIn.type === 'api_key' ? { apiKey: signIn.apiKey } : { apiKey: undefined, signIn };
}

/**
 * Returns the decrypted credentials of an account. Throws `ProviderFailure` when they cannot be decrypted, with a
 * message that begins with `name` where one is given.
 */
export function readableCredentials(
  box: SecretBox,
  row: SealedRow & { readonly credentials: Buffer | null },
  name = '',
): Credentials {
  try {
    return openCredentials(box, row);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    const why = whyUnreadable(box, row.credentials) ?? 'its stored credentials are damaged: enter them again';
    throw new ProviderFailure(`${name} cannot be called: ${why}`.trimStart(), { kind: 'credentials', cause: error });
  }
}
