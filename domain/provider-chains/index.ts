export { type AccountChoice, type AccountState, type ChainStep, chooseAccounts, DEMO_TYPE } from './candidates.ts';
export { cooldownEnd } from './cooldown.ts';
