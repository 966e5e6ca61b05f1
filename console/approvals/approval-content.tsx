import type { ReactNode } from 'react';
import type { Approval } from './queries.ts';
import { type Detail, saysValue } from './says-value.ts';
import { type ShownValue, ShownValues } from './shown-values.tsx';
import { useApprovalsText } from './text.ts';

/**
 * Shows all that somebody approves: what a call does, such as where it goes, and its arguments. Those that the first
 * says already are opened below.
 */
export function ApprovalContent({ approval }: { readonly approval: Approval }): ReactNode {
  const text = useApprovalsText();
  const { details, arguments: given, edited_arguments: edited } = approval;
  const values = valuesOf(given);
  const others =
    edited === null ? values.filter(({ value }) => !details.some((detail) => saysValue(detail, value))) : values;
  const isRepeated = others.length < values.length;
  return (
    <>
      {details.length > 0 && <ShownValues title={text.details} values={details.map((each) => laidOut(each, values))} />}
      {values.length === 0 && <p>{text.noArguments}</p>}
      {others.length > 0 && <ShownValues title={isRepeated ? text.otherArguments : text.arguments} values={others} />}
      {edited !== null && <ShownValues title={text.argumentsUsed} values={valuesOf(edited)} />}
      {isRepeated && (
        <details>
          <summary>{text.allArguments(values.length)}</summary>
          <ShownValues title={text.arguments} values={values} />
        </details>
      )}
    </>
  );
}

/** Returns a detail with the value of the argument that it repeats, which is shown as JSON on lines of its own. */
function laidOut(detail: Detail, values: readonly ShownValue[]): ShownValue {
  return { label: detail.label, value: values.find(({ value }) => saysValue(detail, value))?.value ?? detail.value };
}

function valuesOf(args: Readonly<Record<string, unknown>>): readonly ShownValue[] {
  return Object.entries(args).map(([label, value]) => ({ label, value }));
}
