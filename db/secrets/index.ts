export { countByKey, countUnreadableSecrets, encryptAnew } from './stored-secrets.ts';
