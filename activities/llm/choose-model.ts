import { findCatalogEntry } from '../../builtin/index.ts';
import type { SecretBox } from '../../db/core/index.ts';
import { openCredentials } from '../../db/providers/index.ts';
import type { TurnAccount, TurnAgent } from '../../db/turns/index.ts';
import type { ModelAccount } from './model-adapter.ts';
import { ProviderFailure } from './provider-failure.ts';

/** The account, model and wire format of a call. */
export interface ChosenModel {
  readonly account: ModelAccount;
  readonly model: string;
  readonly streamType: string;
}

const DEMO: ChosenModel = {
  account: { id: null, name: 'Demo', providerType: 'demo', baseUrl: undefined, apiKey: undefined },
  model: 'demo',
  streamType: 'demo',
};

/** The oldest real account, else one of the demo provider, else the demo model itself, which every organization has. */
export function chooseModel(
  box: SecretBox,
  accounts: readonly TurnAccount[],
  agent: Pick<TurnAgent, 'modelPref'>,
): ChosenModel {
  const account = accounts.find(({ providerType }) => providerType !== 'demo') ?? accounts[0];
  return account === undefined ? DEMO : modelOfAccount(box, account, agent.modelPref);
}

/**
 * How to call an account: its own settings first, then the catalog's. Throws `ProviderFailure` when something that a
 * call needs is given by neither.
 */
export function modelOfAccount(box: SecretBox, account: TurnAccount, modelPref: string | null): ChosenModel {
  const { id, name, providerType } = account;
  const entry = findCatalogEntry(providerType);
  if (entry === undefined)
    throw new ProviderFailure(`${name} is of the type "${providerType}", which does not exist any more`);
  if (entry.streamType === 'demo') return { ...DEMO, account: { ...DEMO.account, id, name } };
  if (entry.authType === 'oauth')
    throw new ProviderFailure(`${name} runs a command-line agent, which is not supported yet`);
  const model = modelPref ?? account.modelName ?? entry.defaultModel;
  const baseUrl = account.baseUrl ?? entry.baseUrl;
  if (model === null)
    throw new ProviderFailure(`${name} has no model: set model_name on the account or model_pref on the agent`);
  if (baseUrl === null) throw new ProviderFailure(`${name} has no address: set base_url on the account`);
  const apiKey = openCredentials(box, account)['api_key'];
  return {
    account: { id, name, providerType, baseUrl, apiKey: typeof apiKey === 'string' ? apiKey : undefined },
    model,
    streamType: entry.streamType,
  };
}
