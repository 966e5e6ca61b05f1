import type { z } from 'zod';
import type { Approval } from '../../db/approvals/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { maskSecrets } from '../../domain/secrets/index.ts';
import { approvalSchema } from './schema.ts';

/** Returns an approval as the API shows it: likely secrets in its arguments are masked. */
export function presentApproval(approval: Approval): z.input<typeof approvalSchema> {
  const { arguments: args, editedArguments: edited } = approval;
  return present(approvalSchema, approval, {
    arguments: maskSecrets(args),
    editedArguments: edited === null ? null : maskSecrets(edited),
  });
}
