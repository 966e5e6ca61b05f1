export { createEnterNewMessages, type SearchDeps } from './enter-new-messages.ts';
