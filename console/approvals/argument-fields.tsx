import type { ReactNode } from 'react';
import { withPlainNumbers } from '../../domain/core/objects/exact-json.ts';
import { Button } from '../ui/controls/button.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import type { SchemaValues } from '../ui/schema-form/flat-schema.ts';
import { SchemaFields } from '../ui/schema-form/schema-fields.tsx';
import { type Approval, useApproval, useMayEdit } from './queries.ts';
import { useApprovalsText } from './text.ts';

interface ChangeArgumentsProps {
  readonly approval: Approval;
  /** What they were changed to; undefined while they are kept. */
  readonly edited: SchemaValues | undefined;
  readonly onChange: (edited: SchemaValues | undefined) => void;
}

/** The button with which arguments are changed, or kept after all; nothing for who may not change them. */
export function ChangeArguments({ approval, edited, onChange }: ChangeArgumentsProps): ReactNode {
  const text = useApprovalsText();
  const isKept = edited === undefined;
  if (!useMayEdit(approval)) return null;
  return (
    <Button onClick={() => onChange(isKept ? (approval.edited_arguments ?? approval.arguments) : undefined)}>
      {isKept ? text.change : text.keep}
    </Button>
  );
}

interface ArgumentFieldsProps {
  readonly approvalId: string;
  readonly values: SchemaValues;
  readonly onValuesChange: (values: SchemaValues) => void;
}

/** The arguments of a call, to be changed: fields as its tool describes them, or JSON where it does not. */
export function ArgumentFields({ approvalId, values, onValuesChange }: ArgumentFieldsProps): ReactNode {
  const text = useApprovalsText();
  const approval = useApproval(approvalId);
  return (
    <Loaded query={approval}>
      {({ parameters }) =>
        parameters === null ? (
          <p>{text.notEditable}</p>
        ) : (
          <>
            <p>{text.changeHint}</p>
            <SchemaFields
              schema={withPlainNumbers(parameters)}
              name="arguments"
              label={text.arguments}
              values={values}
              onValuesChange={onValuesChange}
            />
          </>
        )
      }
    </Loaded>
  );
}
