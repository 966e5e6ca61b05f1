export { type CallProviderDeps, createCallProvider, createListModels, type ListModelsDeps } from './ask-account.ts';
export { createFailSignIn, createSignInWithCli, type SignInDeps } from './cli-sign-in.ts';
