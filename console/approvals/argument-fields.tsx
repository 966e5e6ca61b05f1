import type { ReactNode } from 'react';
import { withPlainNumbers } from '../../domain/core/objects/exact-json.ts';
import { Button } from '../ui/controls/button.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import type { SchemaValues } from '../ui/schema-form/flat-schema.ts';
import { SchemaFields } from '../ui/schema-form/schema-fields.tsx';
import { type Approval, useApproval, useMayEdit } from './queries.ts';
import { useApprovalsText } from './text.ts';

/** The arguments of a call while they may be changed. */
export interface ArgumentEditing {
  /** What they were changed to; undefined as long as nothing was, and for a call whose arguments are fixed. */
  readonly edited?: SchemaValues;
}

interface ChangeArgumentsProps {
  readonly approval: Approval;
  /** Undefined while the arguments are kept. */
  readonly editing: ArgumentEditing | undefined;
  readonly onChange: (editing: ArgumentEditing | undefined) => void;
}

/** The button with which arguments are changed, or kept after all; nothing for who may not change them. */
export function ChangeArguments({ approval, editing, onChange }: ChangeArgumentsProps): ReactNode {
  const text = useApprovalsText();
  const isKept = editing === undefined;
  if (!useMayEdit(approval)) return null;
  return <Button onClick={() => onChange(isKept ? {} : undefined)}>{isKept ? text.change : text.keep}</Button>;
}

interface ArgumentFieldsProps {
  readonly approvalId: string;
  readonly editing: ArgumentEditing;
  readonly onChange: (editing: ArgumentEditing) => void;
}

/** The arguments of a call, to be changed: fields as its tool describes them, or JSON where it does not. */
export function ArgumentFields({ approvalId, editing, onChange }: ArgumentFieldsProps): ReactNode {
  const text = useApprovalsText();
  const approval = useApproval(approvalId);
  return (
    <Loaded query={approval}>
      {({ parameters, arguments: given, edited_arguments: former }) =>
        parameters === null ? (
          <p>{text.notEditable}</p>
        ) : (
          <>
            <p>{text.changeHint}</p>
            <SchemaFields
              schema={withPlainNumbers(parameters)}
              name="arguments"
              label={text.arguments}
              values={editing.edited ?? former ?? given}
              onValuesChange={(edited) => onChange({ edited })}
            />
          </>
        )
      }
    </Loaded>
  );
}
