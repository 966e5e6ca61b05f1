export { apiSettings } from './api-settings.ts';
export { readSettings, type SettingsRead, settingsOf, sharedSettings } from './settings.ts';
export { namesOfTemporalConnection, type TemporalConnection, temporalConnection } from './temporal-connection.ts';
export { UNBOUNDED, type WorkBounds } from './work-bounds.ts';
export { workerSettings } from './worker-settings.ts';
