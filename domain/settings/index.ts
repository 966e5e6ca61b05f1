export { readSettings, sharedSettings } from './settings.ts';
