import type { z } from 'zod';
import type { Approval, EditableApproval } from '../../db/approvals/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { maskSecrets } from '../../domain/secrets/index.ts';
import { approvalSchema, editableApprovalSchema } from './schema.ts';

/** Returns an approval as the API shows it: likely secrets in its arguments are masked. */
export function presentApproval(approval: Approval): z.input<typeof approvalSchema> {
  return present(approvalSchema, approval, maskedArguments(approval));
}

/** Returns an approval that is read by itself as the API shows it. */
export function presentEditableApproval(approval: EditableApproval): z.input<typeof editableApprovalSchema> {
  return present(editableApprovalSchema, approval, maskedArguments(approval));
}

function maskedArguments({ arguments: args, editedArguments: edited }: Approval) {
  return { arguments: maskSecrets(args), editedArguments: edited === null ? null : maskSecrets(edited) };
}
