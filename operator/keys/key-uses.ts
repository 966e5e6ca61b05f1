import type { Database } from '../../db/core/database.ts';
import { keyIdOf } from '../../db/core/secret-box.ts';
import { countByKey } from '../../db/secrets.ts';
import { countSessionsByKey } from '../../db/sessions.ts';

/** What a key of an installation is needed for. */
export interface KeyUse {
  readonly id: string;
  /** Its position in `SECRET_KEY`, from 1; undefined when it is not in there. */
  readonly position: number | undefined;
  /** The stored secrets that were encrypted with it. */
  readonly secrets: readonly { readonly kind: string; readonly count: number }[];
  /** The live sessions whose refresh tokens were signed with it. */
  readonly sessions: number;
  /** When the last of these sessions ends unless it is refreshed; undefined without any. */
  readonly lastSessionEndsAt: Date | undefined;
}

/** Returns what each key of `SECRET_KEY` is needed for, in their order, and then keys that are needed and missing. */
export async function readKeyUses(database: Pick<Database, 'system'>, keys: readonly string[]): Promise<KeyUse[]> {
  const given = keys.map(keyIdOf);
  const secrets = await countByKey(database.system);
  const sessions = await countSessionsByKey(database);
  const ids = new Set([...given, ...secrets.map(({ keyId }) => keyId), ...sessions.map(({ keyId }) => keyId)]);
  return [...ids].map((id) => {
    const at = given.indexOf(id);
    const signed = sessions.find(({ keyId }) => keyId === id);
    return {
      id,
      position: at < 0 ? undefined : at + 1,
      secrets: secrets.filter(({ keyId }) => keyId === id),
      sessions: signed?.count ?? 0,
      lastSessionEndsAt: signed?.lastEndsAt,
    };
  });
}

/** Returns how many stored secrets need a key. */
export function countSecrets({ secrets }: KeyUse): number {
  return secrets.reduce((sum, { count }) => sum + count, 0);
}

/** Formats the uses of keys for people, a line each. */
export function formatKeyUses(uses: readonly KeyUse[]): string {
  return uses.map((use) => `${nameOf(use)}: ${formatUse(use)}.`).join('\n');
}

function nameOf({ id, position }: KeyUse): string {
  if (position === undefined) return `A key that SECRET_KEY lacks (${id})`;
  return `Key ${position} of SECRET_KEY (${id})${position === 1 ? ', which encrypts and signs' : ''}`;
}

function formatUse({ secrets, sessions, lastSessionEndsAt }: KeyUse): string {
  const ends = lastSessionEndsAt?.toISOString().slice(0, 10);
  const counts = ends === undefined ? [] : [`sessions (${sessions}, the last until ${ends})`];
  if (secrets.length > 0) counts.unshift(formatSecrets(secrets));
  return counts.length === 0 ? 'nothing needs it' : counts.join(', ');
}

/** Formats how many secrets of which kinds there are. */
export function formatSecrets(secrets: KeyUse['secrets']): string {
  return secrets.map(({ kind, count }) => `${kind} (${count})`).join(', ');
}
