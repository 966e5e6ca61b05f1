import type { TurnAgent } from '../../db/agents/index.ts';
import type { TurnChain } from '../../db/provider-chains/index.ts';
import { profileNameOf } from '../../domain/model-profiles/index.ts';

/** A chain to go by: one of the organization, or what a model profile makes up for one. */
export interface RequestedChain extends Pick<TurnChain, 'name' | 'steps'> {
  readonly isProfile?: true;
}

/** What a turn wants of the models, or why it cannot be had, in words for the user. */
type RequestedModel =
  | { readonly chain: RequestedChain | null; readonly modelPref: string | null }
  | { readonly missing: string };

/**
 * Returns the chain and the model that a turn goes by. A profile replaces the agent's chain and that of the
 * organization; of one beside a chain that a permission group or the chat has chosen, only the model's name counts, as
 * a preference.
 */
export function requestedModelOf(
  { modelPref, profile }: Pick<TurnAgent, 'modelPref' | 'profile'>,
  chain: Omit<TurnChain, 'id'> | null,
): RequestedModel {
  if (profile === null) {
    const named = profileNameOf(modelPref);
    if (named === undefined) return { chain, modelPref };
    return {
      missing: `The agent asks for the model profile "${named}", which does not exist: add it, or change model_pref`,
    };
  }
  const { name, providerType, modelName } = profile;
  if (chain?.isBinding === true) return { chain, modelPref: modelName };
  if (profile.chain !== null) return { chain: profile.chain, modelPref: null };
  if (providerType === null)
    return { missing: `The provider chain of the model profile "${name}" was deleted: choose another one` };
  const step = { provider_type: providerType, model_name: modelName };
  return { chain: { name, steps: [step], isProfile: true }, modelPref: null };
}
