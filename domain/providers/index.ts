export { AUTH_TYPES, type AuthType } from './auth-types.ts';
export { readSignIn, type SignIn } from './sign-in.ts';
