export { AUTH_TYPES, type AuthType } from './auth-types.ts';
