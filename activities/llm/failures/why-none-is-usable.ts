import type { TurnAccount } from '../../../db/providers/index.ts';
import type { AccountChoice } from '../../../domain/provider-chains/index.ts';
import type { RequestedChain } from '../requested-model.ts';

const MAX_NAMED = 3;

/** Explains to the user why none of the accounts can be used, and what to do about it. */
export function whyNoneIsUsable(
  accounts: readonly Pick<TurnAccount, 'id' | 'name'>[],
  chain: RequestedChain | null,
  disabled: AccountChoice['disabled'],
): string {
  const kind = chain?.isProfile === true ? 'model profile' : 'provider chain';
  const whose = chain === null ? '' : ` of the ${kind} "${chain.name}"`;
  if (disabled.length === 0) return `No account${whose} exists: ${whatToAdd(chain)}`;
  const named = disabled.slice(0, MAX_NAMED).map(({ accountId, reason }) => {
    const name = accounts.find(({ id }) => id === accountId)?.name ?? 'An account';
    return `${name} (${reason})`;
  });
  const others = disabled.length - named.length;
  const list = [...named, ...(others > 0 ? [`${others} more`] : [])].join(', ');
  return `Every account${whose} is disabled: ${list}. New credentials or a successful test enable it again`;
}

function whatToAdd(chain: RequestedChain | null): string {
  const types = new Set(chain?.steps.map(({ provider_type: type }) => type));
  // A chain of nothing but the demo is for first trials, and there are real accounts by now.
  if (types.size === 1 && types.has('demo')) return 'the demo model is not used beside real accounts; change the chain';
  types.delete('demo');
  return `add one of the type ${[...types].join(' or ')}, or change the ${chain?.isProfile === true ? 'profile' : 'chain'}`;
}
