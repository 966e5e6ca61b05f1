export { ProviderChain } from './provider-chain.entity.ts';
export {
  createProviderChain,
  deleteProviderChain,
  listProviderChains,
  type ProviderChainFields,
  requireProviderChain,
  updateProviderChain,
} from './provider-chains.ts';
