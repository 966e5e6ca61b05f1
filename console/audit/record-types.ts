import { RESOURCE_KEYS, resourceOf } from '../../domain/resources.ts';
import type { AuditText } from './text.ts';

/** The types of records that entries are about, by their names in the log, to choose from. */
export const RECORD_TYPES = RESOURCE_KEYS.map((key) => ({ value: key, label: labelOf(key) }));

/** Returns in words what an action of the log has done, such as "Agent: created". */
export function wordsOfAction(action: string, { verbs }: Pick<AuditText, 'verbs'>): string {
  const [resource, verb = ''] = action.split('.');
  const known: Readonly<Record<string, string>> = verbs;
  const name = RECORD_TYPES.find(({ value }) => value === resource)?.label ?? resource;
  return `${name}: ${known[verb] ?? verb.replaceAll('_', ' ')}`;
}

/** Returns the action that is said in such words; anything else is an action by its own name. */
export function actionOf(words: string, { verbs }: Pick<AuditText, 'verbs'>): string {
  const [label, said = ''] = words.trim().split(/:\s*/);
  const type = RECORD_TYPES.find((each) => isSame(each.label, label));
  if (type === undefined) return words.trim();
  const known = Object.entries(verbs).find(([, each]) => isSame(each, said));
  return `${type.value}.${known?.[0] ?? said.toLowerCase().replaceAll(' ', '_')}`;
}

function labelOf(key: (typeof RESOURCE_KEYS)[number]): string {
  const { name } = resourceOf(key);
  const isShared = RESOURCE_KEYS.some((other) => other !== key && resourceOf(other).name === name);
  return isShared ? `${name} (${key.replaceAll('_', ' ')})` : name;
}

function isSame(one: string, other: string | undefined): boolean {
  return one.toLowerCase() === other?.toLowerCase();
}
