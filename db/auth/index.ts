export { ACCESS_CHANNEL, announceAccessChange, announceAccessChanges } from './access-changes.ts';
export { markApiKeyUsed, principalOfApiKey, principalOfSession, type Principal } from './principal.ts';
