export {
  AUTH_TYPES,
  type AuthType,
  CLI_PROVIDERS,
  type CliProvider,
  type CredentialForm,
  credentialFormsOf,
  isCliProvider,
} from './credential-forms.ts';
export {
  MAX_CODE_TRIES,
  readSignIn,
  readSignInCode,
  SIGN_IN_STATUSES,
  type SignIn,
  type SignInCode,
  type SignInStatus,
  stateOfAddress,
} from './sign-in.ts';
