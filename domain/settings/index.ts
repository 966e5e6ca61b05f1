export { apiSettings } from './api-settings.ts';
export { settingsOf, sharedSettings } from './settings.ts';
export {
  namesOfTemporalConnection,
  type TemporalConnection,
  temporalConnection,
  temporalConnectionSettings,
} from './temporal-connection.ts';
export { UNBOUNDED, type WorkBounds } from './work-bounds.ts';
export { workerSettings } from './worker-settings.ts';
