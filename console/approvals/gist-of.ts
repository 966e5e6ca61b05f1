import { showHidden } from '../ui/visible.ts';
import type { Approval } from './queries.ts';
import { saysValue } from './says-value.ts';

const MAX_CHARACTERS = 300;

/**
 * Returns in one line what tells a call from another of the same tool: what it does, and those of its arguments that
 * this does not say.
 */
export function gistOf({ details, arguments: given, edited_arguments: edited }: Approval): string {
  const others = Object.entries(given).filter(([, value]) => !details.some((detail) => saysValue(detail, value)));
  const args = (edited === null ? others : Object.entries(edited)).map(([name, value]) => `${name}: ${written(value)}`);
  const parts = [...details.map(({ value }) => value), ...args];
  return showHidden(parts.join(' · ').slice(0, MAX_CHARACTERS).replaceAll(/\s+/g, ' '));
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
