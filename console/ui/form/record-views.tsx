import { type ReactNode, Component, lazy, Suspense, useState } from 'react';
import { useIsAdvanced } from '../../core/permissions.ts';
import { Button } from '../controls/button.tsx';
import classes from '../controls/form.module.css';
import type { JsonForm } from './json-form.ts';
import type { RecordValues } from './record-edit.ts';
import { useDiscards } from './save-blocks.ts';
import { useFormText } from '../text.ts';
import type { EditedRecord } from './use-record.ts';

interface RecordViewsProps<T extends RecordValues> {
  readonly record: EditedRecord<T>;
  readonly stored: T;
  /** How the record is written as JSON; undefined where it is a form only. */
  readonly json: JsonForm<T> | undefined;
  /** Whether what is shown holds a text that would be lost with it. */
  readonly isHeld: boolean;
  readonly children: (record: EditedRecord<T>) => ReactNode;
}

/** A record as a form, or for those who build as JSON: two views of the same changes. */
export function RecordViews<T extends RecordValues>({ json, children, ...props }: RecordViewsProps<T>): ReactNode {
  if (json === undefined) return children(props.record);
  return (
    <BothViews json={json} {...props}>
      {children}
    </BothViews>
  );
}

const RecordJson = lazy(async () => {
  const { RecordJson: Shown } = await import('./record-json.tsx');
  return { default: Shown as unknown as (props: ShownJson) => ReactNode };
});

/** What the part that is loaded is given, whatever the record is. */
type ShownJson = Readonly<Record<'record' | 'stored' | 'json', object>>;

function BothViews<T extends RecordValues>(props: RecordViewsProps<T> & { readonly json: JsonForm<T> }): ReactNode {
  const { record, stored, json, isHeld, children } = props;
  const [text, [isJson, setIsJson]] = [useFormText(), useState(false)];
  const discards = useDiscards();
  if (!useIsAdvanced()) return children(record);
  const buttonOf = (label: string, toJson: boolean) => (
    <Button
      look="quiet"
      aria-pressed={isJson === toJson}
      reason={isHeld && isJson !== toJson ? text.jsonFirst : undefined}
      onClick={() => setIsJson(toJson)}
    >
      {label}
    </Button>
  );
  return (
    <>
      <fieldset className={classes.views} aria-label={text.views}>
        {buttonOf(text.form, false)}
        {buttonOf(text.json, true)}
      </fieldset>
      {isJson ? (
        <Suspense>
          <RecordJson record={record} stored={stored} json={json} />
        </Suspense>
      ) : (
        <FormBoundary unshown={text.unshown} discards={discards}>
          {() => children(record)}
        </FormBoundary>
      )}
    </>
  );
}

interface FormBoundaryProps {
  /** Says that it cannot be shown. */
  readonly unshown: string;
  /** How often the changes were discarded: what could not be shown is gone with them. */
  readonly discards: number;
  readonly children: () => ReactNode;
}

interface BoundaryState {
  readonly hasFailed: boolean;
  readonly discards: number;
}

/** Says so where values that were changed as JSON, and that no server has looked at yet, cannot be shown as a form. */
class FormBoundary extends Component<FormBoundaryProps, BoundaryState> {
  override readonly state: BoundaryState = { hasFailed: false, discards: this.props.discards };

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ discards }: FormBoundaryProps, state: BoundaryState): BoundaryState | null {
    return discards === state.discards ? null : { hasFailed: false, discards };
  }

  override render(): ReactNode {
    if (this.state.hasFailed) return <p role="alert">{this.props.unshown}</p>;
    return <Fields>{this.props.children}</Fields>;
  }
}

// A component of its own, so that the boundary around it catches what goes wrong within.
function Fields({ children }: Pick<FormBoundaryProps, 'children'>): ReactNode {
  return children();
}
