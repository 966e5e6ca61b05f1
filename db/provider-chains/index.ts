export { ProviderChain } from './provider-chain.entity.ts';
export {
  createProviderChain,
  deleteProviderChain,
  getProviderChain,
  listProviderChains,
  lockProviderChain,
  type ProviderChainFields,
  requireProviderChain,
  updateProviderChain,
} from './provider-chains.ts';
