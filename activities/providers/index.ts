export { type CallProviderDeps, createCallProvider } from './call-provider.ts';
export { createListModels, type ListModelsDeps } from './list-models.ts';
export type { SignInDeps } from './sign-in/cli-sign-in.ts';
export { createFailSignIn, createSignInWithCli } from './sign-in/sign-in-with-cli.ts';
