import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { InlineCode } from '../page/inline-code.tsx';
import { showInvisible } from '../visible.ts';

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
    <span className="column items-start">
      <a {...rest} className="link">
        {showInvisible(name)}
      </a>
      {note !== '' && (
        <span
          className={
            isShort ? `measure soft font-normal wrap-anywhere line-clamp-2` : 'measure soft font-normal wrap-anywhere'
          }
        >
          <InlineCode text={showInvisible(note)} />
        </span>
      )}
    </span>
  );
});
