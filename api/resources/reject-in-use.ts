import type { NamedUsers } from '../../db/records/records.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { nameInSentence } from '../../domain/resources.ts';

interface Refusal {
  /** The refusal, such as `The integration "Tracker" cannot be deleted`. */
  readonly refused: string;
  /** The resource of those that name it. */
  readonly by: 'agents' | 'tools' | 'workflows' | 'schedules' | 'chats';
  /** How the caller can resolve it, as a sentence. */
  readonly advice: string;
}

const LIST = new Intl.ListFormat('en-GB');

/** Rejects the renaming or deletion of what others name, which would break them in silence; says who they are. */
export function rejectInUse({ total, names }: NamedUsers, { refused, by, advice }: Refusal): void {
  if (total === 0) return;
  const thing = `${nameInSentence(by)}${total === 1 ? '' : 's'}`;
  const rest = total - names.length;
  const quoted = names.map((name) => `"${name}"`);
  const who =
    names.length === 0
      ? `${total} ${thing}`
      : `the ${thing} ${LIST.format(rest === 0 ? quoted : [...quoted, `${rest} more`])}`;
  throw new AppError('conflict', `${refused}, because it is named by ${who}. ${advice}`);
}
