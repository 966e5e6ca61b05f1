import { Checkbox } from '@base-ui/react/checkbox';
import { Switch } from '@base-ui/react/switch';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { FieldFrame } from '../controls/field-frame.tsx';
import classes from './fields.module.css';

/** What a field that is on or off is given. */
interface ToggleFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  readonly value: boolean;
  readonly onValueChange: (value: boolean) => void;
  /** Why it cannot be changed now. */
  readonly reason?: string | undefined;
}

/** A box to tick: something that holds once the form is sent. */
export function CheckboxField({ label, name, hint, value, onValueChange, reason }: ToggleFieldProps): ReactNode {
  return (
    <FieldFrame label={label} name={name} hint={reason ?? hint} layout="beside">
      <Checkbox.Root
        checked={value}
        readOnly={reason !== undefined}
        className={classes.box ?? ''}
        onCheckedChange={(checked) => onValueChange(checked)}
      >
        <Checkbox.Indicator className={classes.tick ?? ''}>
          <Check aria-hidden />
        </Checkbox.Indicator>
      </Checkbox.Root>
    </FieldFrame>
  );
}

/** A switch: something that works, or does not. */
export function SwitchField({ label, name, hint, value, onValueChange, reason }: ToggleFieldProps): ReactNode {
  return (
    <FieldFrame label={label} name={name} hint={reason ?? hint} layout="beside">
      <Switch.Root
        checked={value}
        readOnly={reason !== undefined}
        className={classes.switch ?? ''}
        onCheckedChange={(checked) => onValueChange(checked)}
      >
        <Switch.Thumb className={classes.thumb ?? ''} />
      </Switch.Root>
    </FieldFrame>
  );
}
