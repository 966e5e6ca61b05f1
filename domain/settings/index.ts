export { DURATION_FAULT, durationSetting, parseDuration } from './duration.ts';
export { readSettings, sharedSettings } from './settings.ts';
