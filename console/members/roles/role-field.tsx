import { useId } from 'react';
import type { Role } from '../queries.ts';
import classes from './role-field.module.css';
import { GRANTED_ROLES } from './rules.ts';
import { useMembersText } from '../text.ts';

interface RoleFieldProps {
  readonly value: Role;
  readonly onValueChange: (role: Role) => void;
  /** Says why a role cannot be chosen. */
  readonly whyNot: (role: Role) => string | undefined;
  /** Whether a heading above it says already what it is. */
  readonly isTitled?: boolean;
}

/** The roles to choose from, each with what it may do. */
export function RoleField({ value, onValueChange, whyNot, isTitled = false }: RoleFieldProps) {
  const text = useMembersText();
  const id = useId();
  return (
    <fieldset className={classes.roles}>
      <legend className={isTitled ? classes.hidden : undefined}>{text.role}</legend>
      {GRANTED_ROLES.map((role) => {
        const reason = whyNot(role);
        return (
          <label key={role} className={classes.role} data-off={reason !== undefined || undefined}>
            <input
              type="radio"
              name="role"
              value={role}
              checked={value === role}
              disabled={reason !== undefined}
              aria-describedby={`${id}-${role}`}
              onChange={() => onValueChange(role)}
            />
            <strong>{text.roles[role]}</strong>
            <span id={`${id}-${role}`} className={classes.says}>
              {text.rolesSay[role]}
              {reason !== undefined && ` ${reason}`}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
