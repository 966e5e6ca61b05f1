import { AppError } from '../core/app-error.ts';
import type { Policy } from '../permissions/index.ts';
import { nameInSentence } from '../resources/index.ts';
import { findWithheld } from './given-keys.ts';

/** The keys of an agent that somebody sets. */
export interface AgentKeyChanges {
  readonly tools?: readonly string[] | undefined;
  readonly skills?: readonly string[] | undefined;
}

/** Tells which keys mean something in an organization. */
export interface KnownKeys {
  readonly tools: (key: string) => boolean;
  readonly skills: (key: string) => boolean;
}

/** A key that nobody knows, with its place in the list. */
interface UnknownKey {
  readonly field: 'tools' | 'skills';
  readonly key: string;
  readonly index: number;
}

/** Returns the keys that mean nothing. Keys that the agent has already can stay. */
export function findUnknownKeys(wanted: AgentKeyChanges, present: AgentKeyChanges, known: KnownKeys): UnknownKey[] {
  return (['tools', 'skills'] as const).flatMap((field) => {
    const added = addedTo(present[field], wanted[field]);
    return (wanted[field] ?? []).flatMap((key, index) =>
      added.includes(key) && !known[field](key) ? [{ field, key, index }] : [],
    );
  });
}

/** Returns what is to be said of a key that nobody knows. */
export function wordsOfUnknown({ field, key }: UnknownKey): string {
  return `There is no ${nameInSentence(field)} "${key}"`;
}

/**
 * Rejects giving an agent tools and skills that its giver may not use: it would use them for others, who may. Keys that
 * the agent has already can stay.
 */
export function requireMayGive(policy: Policy, wanted: AgentKeyChanges, present: AgentKeyChanges = {}): void {
  const withheld = findWithheld(policy, {
    tools: addedTo(present.tools, wanted.tools),
    skills: addedTo(present.skills, wanted.skills),
  });
  if (withheld === undefined) return;
  const words = `Your permission groups do not let you use the ${nameInSentence(withheld.resource)} "${withheld.key}", so you cannot give it to an agent`;
  throw new AppError('forbidden', words);
}

function addedTo(present: readonly string[] = [], wanted: readonly string[] = []): string[] {
  return wanted.filter((key) => !present.includes(key));
}
