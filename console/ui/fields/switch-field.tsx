import { Switch } from '@base-ui/react/switch';
import type { ReactNode } from 'react';
import { FieldFrame } from '../controls/field-frame.tsx';
import type { ToggleFieldProps } from './checkbox-field.tsx';
import classes from './toggles.module.css';

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
