export { ProviderChain } from './provider-chain.entity.ts';
export {
  createProviderChain,
  deleteProviderChain,
  getProviderChain,
  listProviderChains,
  lockProviderChain,
  requireProviderChain,
  updateProviderChain,
} from './provider-chains.ts';
export { chainForTurn, type TurnChain } from './for-turn.ts';
