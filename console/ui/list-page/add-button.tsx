import { createLink } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { Button, buttonClass } from '../controls/button.tsx';

interface AddButtonProps {
  /** Names what is added: "Add an agent". */
  readonly label: string;
  /** Why it cannot be added now, such as a missing right. */
  readonly reason: string | undefined;
  readonly onClick: () => void;
}

/** The button of a list that begins a new record. */
export function AddButton({ label, reason, onClick }: AddButtonProps): ReactNode {
  return (
    <Button look="primary" reason={reason} onClick={onClick}>
      <Plus aria-hidden />
      {label}
    </Button>
  );
}

interface AddAnchorProps extends Omit<ComponentProps<'a'>, 'children'> {
  readonly label: string;
  readonly reason: string | undefined;
}

/** Leads to the page on which a new record begins; a button that says why where that may not be. */
export const AddLink = createLink(function AddAnchor({ label, reason, ...rest }: AddAnchorProps) {
  if (reason !== undefined) return <AddButton label={label} reason={reason} onClick={() => undefined} />;
  return (
    <a {...rest} className={buttonClass('primary')}>
      <Plus aria-hidden />
      {label}
    </a>
  );
});
