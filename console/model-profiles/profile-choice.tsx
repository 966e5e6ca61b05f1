import type { ReactNode } from 'react';
import { useChains } from '../provider-chains/index.ts';
import { useCatalog } from '../providers/index.ts';
import { showInvisible } from '../ui/visible.ts';
import classes from './profiles.module.css';
import type { ModelProfile } from './queries.ts';
import { useProfilesText } from './text.ts';

/** Says who answers under a profile: a model of a provider, or a chain. */
export function ProfileChoice({ profile }: { readonly profile: ModelProfile }): ReactNode {
  const text = useProfilesText();
  const [{ data: entries = [] }, { data: chains = [] }] = [useCatalog(), useChains()];
  const { provider_type: type, model_name: model, provider_chain_id: chainId } = profile;
  if (chainId !== null) {
    const chain = chains.find(({ id }) => id === chainId);
    return <span>{text.chainOf(showInvisible(chain?.name ?? chainId))}</span>;
  }
  if (type === null) return <span className={classes.warn}>{text.lostChain}</span>;
  const provider = entries.find(({ key }) => key === type)?.name ?? type;
  return (
    <span className={classes.name}>
      {showInvisible(model ?? text.accountsModel)}
      <span className={classes.soft}>{showInvisible(provider)}</span>
    </span>
  );
}
