export { createApiKey, IS_LIVE_KEY, listApiKeys, revokeApiKey, rotateApiKey, type ShownApiKey } from './api-keys.ts';
export { findKeyHolder, listOrgKeys } from './org-keys.ts';
