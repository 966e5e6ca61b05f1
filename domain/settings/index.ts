export { cliSettings } from './cli-settings.ts';
export { DURATION_MESSAGE, durationSetting, parseDuration } from './duration.ts';
export { givenOr } from './given-or.ts';
export { parsedSetting } from './parsed.ts';
export { boundSetting, UNBOUNDED, type WorkBounds } from './work-bounds.ts';
export { sandboxSettings } from './sandbox-settings.ts';
export { settingsOf, sharedSettings } from './settings.ts';
export {
  namesOfTemporalConnection,
  type TemporalConnection,
  temporalConnection,
  temporalConnectionSettings,
} from './temporal-connection.ts';
