export { type AccountChoice, type AccountState, type ChainStep, chooseAccounts } from './candidates.ts';
export { cooldownEnd } from './cooldown.ts';
