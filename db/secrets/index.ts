export { countUnreadableSecrets } from './count-unreadable-secrets.ts';
export { countByKey, encryptAnew } from './encrypt-anew.ts';
