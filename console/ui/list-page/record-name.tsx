import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { InlineCode } from '../page/inline-code.tsx';
import { showInvisible } from '../visible.ts';
import classes from './record-name.module.css';

interface RecordNameProps extends Omit<ComponentProps<'a'>, 'children' | 'className'> {
  readonly name: string;
  /** Stands below the name, unless it is empty. */
  readonly note?: string;
  /** Whether the note is cut after two lines. */
  readonly isShort?: boolean;
}

/** The name of a listed record, which leads to it. */
export const RecordName = createLink(function RecordAnchor({
  name,
  note = '',
  isShort = false,
  ...rest
}: RecordNameProps) {
  return (
    <span className={classes.name}>
      <a {...rest} className="link">
        {showInvisible(name)}
      </a>
      {note !== '' && (
        <span className={isShort ? `${classes.note} ${classes.short}` : classes.note}>
          <InlineCode text={showInvisible(note)} />
        </span>
      )}
    </span>
  );
});
