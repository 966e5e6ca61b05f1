export {
  type AccountChoice,
  type AccountAvailability,
  type ChainStep,
  chooseAccounts,
  DEMO_TYPE,
} from './candidates.ts';
export { cooldownEnd } from './cooldown.ts';
