import type { ReactNode } from 'react';
import { isObject } from '../../domain/core/objects.ts';
import { showHidden } from '../../domain/core/visible.ts';
import { type ShownValue, ShownValues, valuesOf } from '../ui/values/shown-values.tsx';
import type { Approval } from './queries.ts';
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

type Detail = Approval['details'][number];

/** Returns whether a detail of a call says what an argument does. Numbers and the like are the same by accident. */
function saysValue(detail: Detail, value: unknown): boolean {
  if (typeof value === 'string') return value === detail.value;
  return (isObject(value) || Array.isArray(value)) && JSON.stringify(value) === detail.value;
}

/** Returns a detail with the value of the argument that it repeats, which is shown as JSON on lines of its own. */
function laidOut(detail: Detail, values: readonly ShownValue[]): ShownValue {
  return { label: detail.label, value: values.find(({ value }) => saysValue(detail, value))?.value ?? detail.value };
}

const MAX_CHARACTERS = 300;

/**
 * Returns in one line what tells a call from another of the same tool: what it does, and those of its arguments that
 * this does not say.
 */
export function gistOf({ details, arguments: given, edited_arguments: edited }: Approval): string {
  const others = Object.entries(given).filter(([, value]) => !details.some((detail) => saysValue(detail, value)));
  const args = (edited === null ? others : Object.entries(edited)).map(([name, value]) => `${name}: ${written(value)}`);
  const parts = [...details.map(({ value }) => value), ...args];
  return showHidden(parts.join(' · ').slice(0, MAX_CHARACTERS).replaceAll(/\s+/g, ' '));
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
