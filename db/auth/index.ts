export {
  ACCESS_CHANNEL,
  type Principal,
  principalOfApiKey,
  principalOfSession,
  purgeCredentials,
} from './principal.ts';
