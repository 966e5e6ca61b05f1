export { countUnreadableSecrets } from './count-unreadable-secrets.ts';
