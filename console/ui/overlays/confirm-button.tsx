import { type ComponentProps, type ReactNode, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Confirm, type ConfirmProps } from './confirm.tsx';

export interface ConfirmButtonProps extends Omit<ComponentProps<typeof Button>, 'busy' | 'onClick' | 'title'> {
  /** Asks what is going to be done: "Delete Main?". */
  readonly question: string;
  /** Says what it does, and what does not come back. */
  readonly why: string;
  /** Names the act, on the button of the dialog and, unless that has other words or none, on this one. */
  readonly action: string;
  readonly typedName?: ConfirmProps['typedName'];
  readonly onConfirm: ConfirmProps['onConfirm'];
}

/** A button that asks before it does something that cannot be undone. */
export function ConfirmButton(props: ConfirmButtonProps): ReactNode {
  const { question, why, action, typedName, onConfirm, children = action, ...button } = props;
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setIsAsking(true)}>
        {children}
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={question}
        description={why}
        action={action}
        typedName={typedName}
        onConfirm={onConfirm}
      />
    </>
  );
}
