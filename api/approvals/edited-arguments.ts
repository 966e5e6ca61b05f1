import { isDeepStrictEqual } from 'node:util';
import { argumentsIssue } from '../../definition-files/index.ts';
import type { EditableApproval } from '../../db/approvals/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { unmaskSecrets } from '../../domain/secrets/index.ts';
import { isAdministrator } from '../access/is-administrator.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';

const MASKED = 'is masked: give the secret again, because a masked one is not sent with changed arguments';
const ADVICE = 'deny the call, and say in the note what to change';

/**
 * Returns the arguments to make a call with instead of those of the model, checked by the schema of its tool. The call
 * is made with the rights of that user, so nobody edits it who could not act as that user: `forbidden` for all
 * but the user and administrators, and for them where another person has to approve what one has written.
 */
export function editedArguments(
  caller: OrgCaller,
  approval: EditableApproval,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (caller.userId !== approval.userId && !isAdministrator(caller)) {
    throw new AppError('forbidden', `Only the user in whose name it runs and administrators edit arguments: ${ADVICE}`);
  }
  if (approval.parameters === null) throw issue([], `cannot be edited for a call of ${approval.tool ?? 'a step'}`);
  const present = approval.editedArguments ?? approval.arguments;
  const edited = unmaskSecrets(present, given);
  if ('maskedAt' in edited) throw issue(edited.maskedAt, MASKED);
  if (approval.otherPerson && !isDeepStrictEqual(edited.args, present))
    throw new AppError('forbidden', `Nobody approves arguments that they have written themselves: ${ADVICE}`);
  const found = argumentsIssue(approval.parameters, edited.args);
  if (found !== undefined) throw issue(found.path, found.words);
  const { prompt } = edited.args;
  if (approval.runId !== null && String(prompt).trim() === '') throw issue(['prompt'], 'must not be blank');
  return edited.args;
}

function issue(path: readonly string[], msg: string): InvalidRequest {
  return new InvalidRequest([{ type: 'custom', loc: ['body', 'arguments', ...path], msg }]);
}
