export {
  createApiKey,
  createDeviceKey,
  IS_LIVE_KEY,
  listApiKeys,
  markApiKeyUsed,
  purgeApiKeys,
  revokeApiKey,
  rotateApiKey,
  type ShownApiKey,
} from './api-keys.ts';
export { findKeyHolder, listOrgKeys } from './org-keys.ts';
export { deleteKeysOfOrg, deleteKeysOfSessions, deleteKeysOfUser, deleteSessionKeys } from './end-keys.ts';
