import { RESOURCE_KEYS, resourceOf } from '../../domain/resources/index.ts';
import type { AuditText } from './text.ts';

/** The types of records that entries are about, by their names in the log, to choose from. */
export const RECORD_TYPES = RESOURCE_KEYS.map((key) => ({ value: key, label: resourceOf(key).name }));

/** Returns in words what an action of the log has done, such as "Agent: created". */
export function wordsOfAction(action: string, { verbs }: Pick<AuditText, 'verbs'>): string {
  const [resource, verb = ''] = action.split('.');
  const known: Readonly<Record<string, string>> = verbs;
  const name = RECORD_TYPES.find(({ value }) => value === resource)?.label ?? resource;
  return `${name}: ${known[verb] ?? verb.replaceAll('_', ' ')}`;
}
