export { ACCESS_CHANNEL } from './access-channel.ts';
export { purgeCredentials } from './purge-credentials.ts';
export { principalOfApiKey, principalOfSession, type Principal } from './principal.ts';
