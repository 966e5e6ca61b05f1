import { RESOURCE_KEYS, resourceOf } from '../../domain/resources.ts';
import type { AuditText } from './text.ts';

/** The types of records that entries are about, by their names in the log, to choose from. */
export const RECORD_TYPES = RESOURCE_KEYS.map((key) => ({ value: key, label: labelOf(key) }));

/** Returns what an action has done, as it goes on after who did it: "created …", with `…` for the record. */
export function phraseOf(action: string, { verbs }: Pick<AuditText, 'verbs'>): string {
  const [, verb = ''] = action.split('.');
  const known: Readonly<Record<string, string>> = verbs;
  return known[verb] ?? `${verb.replaceAll('_', ' ')} …`;
}

/** Returns in words what an action of the log has done, such as "Agent: created". */
export function wordsOfAction(action: string, text: Pick<AuditText, 'verbs'>): string {
  const [resource] = action.split('.');
  const name = RECORD_TYPES.find(({ value }) => value === resource)?.label ?? resource;
  return `${name}: ${withoutRecord(phraseOf(action, text))}`;
}

/** Returns the action that is said in such words; anything else is an action by its own name. */
export function actionOf(words: string, { verbs }: Pick<AuditText, 'verbs'>): string {
  const [label, said = ''] = words.trim().split(/:\s*/);
  const type = RECORD_TYPES.find((each) => isSame(each.label, label));
  if (type === undefined) return words.trim();
  const known = Object.entries(verbs).find(([, each]) => isSame(withoutRecord(each), said));
  return `${type.value}.${known?.[0] ?? said.toLowerCase().replaceAll(' ', '_')}`;
}

function labelOf(key: (typeof RESOURCE_KEYS)[number]): string {
  const { name } = resourceOf(key);
  const isShared = RESOURCE_KEYS.some((other) => other !== key && resourceOf(other).name === name);
  return isShared ? `${name} (${key.replaceAll('_', ' ')})` : name;
}

function withoutRecord(phrase: string): string {
  return phrase.replace(/ ?…/, '');
}

function isSame(one: string, other: string | undefined): boolean {
  return one.toLowerCase() === other?.toLowerCase();
}
