export { ApiKey } from './api-key.entity.ts';
export { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './api-keys.ts';
