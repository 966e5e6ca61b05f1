export { type CallProviderDeps, createCallProvider } from './call-provider.ts';
