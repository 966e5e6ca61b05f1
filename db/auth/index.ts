export { ACCESS_CHANNEL, announceAccessChange } from './access-changes.ts';
export { markApiKeyUsed, principalOfApiKey, principalOfSession, type Principal } from './principal.ts';
