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
