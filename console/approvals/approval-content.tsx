import type { ReactNode } from 'react';
import type { Approval } from './queries.ts';
import { ShownValues } from './shown-values.tsx';
import { useApprovalsText } from './text.ts';

/** Shows all that somebody approves: what a call does, such as where it goes, and its arguments. */
export function ApprovalContent({ approval }: { readonly approval: Approval }): ReactNode {
  const text = useApprovalsText();
  const { details, arguments: given, edited_arguments: edited } = approval;
  const values = valuesOf(given);
  return (
    <>
      {details.length > 0 && <ShownValues title={text.details} values={details} />}
      {values.length > 0 ? <ShownValues title={text.arguments} values={values} /> : <p>{text.noArguments}</p>}
      {edited !== null && <ShownValues title={text.argumentsUsed} values={valuesOf(edited)} />}
    </>
  );
}

function valuesOf(args: Readonly<Record<string, unknown>>) {
  return Object.entries(args).map(([label, value]) => ({ label, value }));
}
