export { publicUrl } from './public-url.ts';
export { readSettingFiles, withSettings } from './setting-files.ts';
export {
  apiSettings,
  readSettings,
  settingsOf,
  type SettingsRead,
  sharedSettings,
  workerSettings,
} from './settings.ts';
export { namesOfTemporalConnection, type TemporalConnection, temporalConnection } from './temporal-connection.ts';
export { UNBOUNDED, type WorkBounds } from './setting-values.ts';
