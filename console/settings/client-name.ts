import Bowser from 'bowser';
import { showInvisible } from '../ui/visible.ts';
import type { SettingsText } from './text.ts';

const MAX_LENGTH = 60;

/** Returns in words what a client is that calls itself so, such as "Firefox on Linux". */
export function clientName(userAgent: string | null, text: SettingsText['sessions']): string {
  if (userAgent === null || userAgent === '') return text.unknown;
  const { browser, os } = Bowser.parse(userAgent);
  // Programs that are no browser have names of their own.
  const name = showInvisible(browser.name || shortened(userAgent));
  return os.name ? text.client(name, showInvisible(os.name)) : name;
}

function shortened(userAgent: string): string {
  return userAgent.length > MAX_LENGTH ? `${userAgent.slice(0, MAX_LENGTH - 1).toWellFormed()}…` : userAgent;
}
