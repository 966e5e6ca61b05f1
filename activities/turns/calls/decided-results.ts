import type { BegunCall, CallDecision, CallResult } from '../../../db/turns/index.ts';
import { cut } from '../../../domain/core/text.ts';
import { maskSecrets } from '../../../domain/secrets/index.ts';
import { toolError } from '../../tools/index.ts';

/** The shown length of arguments that a person has changed. */
const MAX_ARGUMENTS_SHOWN = 4_000;

const NOT_MADE = 'It was not made, and has changed nothing. Go on without it, or ask what else would do.';

/** Returns the result of a call that nobody has allowed. */
export function refusedResult({ status, note }: CallDecision): CallResult {
  const why =
    status === 'expired'
      ? 'This call needed the approval of a person, and nobody has decided in time.'
      : `A person has denied this call${note === null ? '.' : `, and says: ${note}`}`;
  return { status: 'error', result: toolError('denied', `${why}\n${NOT_MADE}`) };
}

/**
 * Adds to the result of an approved call what the person has said or changed. Everybody who reads the chat sees it, so
 * likely secrets are masked.
 */
export function withDecision(
  result: CallResult,
  call: Pick<BegunCall, 'arguments'>,
  { note, isEdited }: CallDecision,
): CallResult {
  const args = cut(JSON.stringify(maskSecrets(call.arguments)), MAX_ARGUMENTS_SHOWN);
  const words = [
    ...(isEdited ? [`[A person has approved this call with other arguments, with which it was made: ${args}]`] : []),
    ...(note === null ? [] : [`[The person who approved this call says: ${note}]`]),
  ];
  return words.length === 0 ? result : { ...result, result: [...words, result.result].join('\n\n') };
}
