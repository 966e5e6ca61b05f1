import type { ReactNode } from 'react';
import { chooseAccounts } from '../../../domain/provider-chains/index.ts';
import { useNow } from '../../core/clock.ts';
import { useCurrentUser } from '../../core/session/current-user.ts';
import type { Provider } from '../../providers/index.ts';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../chains.module.css';
import type { ChainStep } from '../queries.ts';
import { useChainsText } from '../text.ts';
import type { KnownProviders } from '../use-accounts.ts';

interface AnswersNowProps {
  readonly steps: readonly ChainStep[];
  readonly known: KnownProviders;
}

/** The accounts that a turn of the user would try now, in their order, by the rules of the server. */
export function AnswersNow({ steps, known: { accounts = [], nameOf } }: AnswersNowProps): ReactNode {
  const text = useChainsText();
  const { data: user } = useCurrentUser();
  // Administrators also see accounts that serve nobody but their owners.
  const serving = accounts.filter(({ shared, owner_id: owner }) => shared || owner === user?.id);
  const chain = steps.map(({ provider_type, model_name }) => ({ providerType: provider_type, modelName: model_name }));
  const { candidates } = chooseAccounts(serving.map(availabilityOf), chain, useNow());
  if (candidates.length === 0) return <p>{text.nowNone}</p>;
  const byId = new Map(serving.map((account) => [account.id, account]));
  return (
    <ol className={classes.now}>
      {candidates.map(({ accountId, stepIndex }) => (
        <li key={`${accountId}/${stepIndex}`}>
          <strong>{showInvisible(byId.get(accountId)?.name ?? '')}</strong>{' '}
          <span className={classes.soft}>
            {text.nowStep(stepIndex + 1, nameOf(steps[stepIndex]?.provider_type ?? ''))}
          </span>
        </li>
      ))}
    </ol>
  );
}

function availabilityOf(account: Provider) {
  const { id, provider_type: providerType, cooldown_until: until, last_used_at: used } = account;
  return {
    id,
    providerType,
    cooldownUntil: until === null ? null : Date.parse(until),
    disabledReason: account.disabled_reason,
    lastUsedAt: used === null ? null : Date.parse(used),
  };
}
