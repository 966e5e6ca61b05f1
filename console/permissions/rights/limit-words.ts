import type { PermissionGroup } from '../queries.ts';
import type { PermissionsText } from '../text.ts';

/** Returns the limits of a group in a few words. */
export function limitWords(limits: PermissionGroup['limits'], text: PermissionsText): string {
  const { token_budget: tokens, token_window_hours: hours } = limits;
  const { max_concurrent_agents: agents, max_provider_accounts: accounts } = limits;
  const words = [
    ...(tokens === 0 ? [] : [text.budget(tokens, hours)]),
    ...(agents === 0 ? [] : [text.agents(agents)]),
    ...(accounts === 0 ? [] : [text.accounts(accounts)]),
  ];
  return words.length === 0 ? text.noLimits : words.join(', ');
}
