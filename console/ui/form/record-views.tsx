import { Braces, TextCursorInput } from 'lucide-react';
import { type ReactNode, Component, lazy, Suspense } from 'react';
import { useIsAdvanced } from '../../core/permissions.ts';
import { Button } from '../controls/button.tsx';
import classes from '../controls/controls.module.css';
import type { EditedRecord, JsonForm, RecordValues } from './use-record.ts';
import { useDiscards } from './save-blocks.ts';
import { useFormText } from '../text.ts';

interface RecordViewsProps<T extends RecordValues> {
  readonly record: EditedRecord<T>;
  readonly stored: T;
  /** How the record is written as JSON; undefined where it is a form only. */
  readonly json: JsonForm<T> | undefined;
  /** Whether it is shown as JSON. */
  readonly isJson: boolean;
  readonly children: (record: EditedRecord<T>) => ReactNode;
}

const RecordJson = lazy(async () => {
  const { RecordJson: Shown } = await import('./record-json.tsx');
  return { default: Shown as unknown as (props: ShownJson) => ReactNode };
});

/** What the part that is loaded is given, whatever the record is. */
type ShownJson = Readonly<Record<'record' | 'stored' | 'json', object>>;

/** A record as a form, or as JSON: two views of the same changes. */
export function RecordViews<T extends RecordValues>(props: RecordViewsProps<T>): ReactNode {
  const { record, stored, json, isJson, children } = props;
  const [text, discards] = [useFormText(), useDiscards()];
  if (json === undefined) return <Fields>{() => children(record)}</Fields>;
  if (!isJson) {
    return (
      <FormBoundary unshown={text.unshown} discards={discards}>
        {() => children(record)}
      </FormBoundary>
    );
  }
  return (
    <Suspense>
      <RecordJson record={record} stored={stored} json={json} />
    </Suspense>
  );
}

interface ViewSwitchProps {
  readonly isJson: boolean;
  /** Whether what is shown holds a text that would be lost with it. */
  readonly hasInvalidText: boolean;
  readonly onSwitch: (isJson: boolean) => void;
}

/** Shows a record as JSON instead of as a form, for those who build, and back. */
export function ViewSwitch({ isJson, hasInvalidText, onSwitch }: ViewSwitchProps): ReactNode {
  const text = useFormText();
  if (!useIsAdvanced()) return null;
  return (
    <Button
      icon={isJson ? TextCursorInput : Braces}
      variant="quiet"
      className={classes.view}
      reason={hasInvalidText ? text.jsonFirst : undefined}
      onClick={() => onSwitch(!isJson)}
    >
      {isJson ? text.toForm : text.toJson}
    </Button>
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
