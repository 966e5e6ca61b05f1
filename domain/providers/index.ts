export { AUTH_TYPES, type AuthType } from './auth-types.ts';
export { type CredentialForm, credentialFormsOf } from './credential-forms.ts';
export { readSignIn, type SignIn } from './sign-in.ts';
export { CLI_PROVIDERS, type CliProvider, isCliProvider } from './cli-providers.ts';
export { readSignInCode, type SignInCode, stateOfAddress } from './sign-in-code.ts';
export { MAX_CODE_TRIES, SIGN_IN_STATUSES, type SignInStatus } from './sign-in-statuses.ts';
