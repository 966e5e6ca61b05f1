import { type ReactNode, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Section } from '../page/section.tsx';
import { Confirm } from './confirm.tsx';
import { Dialog } from './dialog.tsx';

interface DangerProps {
  readonly title: string;
  /** Says what it does, and what does not come back: below the title, and in the dialog. */
  readonly why: string;
  /** Names the act, on the buttons. */
  readonly action: string;
  /** Asks what is going to be done: "Delete Main?". */
  readonly question: string;
  /** Why it cannot be done now. */
  readonly reason: string | undefined;
  /** What else is to be known, below the title only. */
  readonly children?: ReactNode;
}

interface ConfirmedProps extends DangerProps {
  /** What has to be typed first, where nothing brings back what is taken away. */
  readonly typedName?: string;
  /** Does it. The dialog closes once it has worked, and says why when it has not. */
  readonly onConfirm: () => Promise<void>;
}

interface FormProps extends DangerProps {
  /** What is asked for before it is done, such as a password: a form that does it. */
  readonly form: ReactNode;
}

/** A part of a page for what cannot be undone, which asks before it is done. */
export function DangerSection(props: ConfirmedProps | FormProps): ReactNode {
  const { title, why, action, question, reason, children } = props;
  const [isAsking, setIsAsking] = useState(false);
  const dialog = { open: isAsking, onClose: () => setIsAsking(false), title: question, description: why };
  return (
    <Section
      title={title}
      lead={why}
      isDanger
      actions={
        <Button look="danger" reason={reason} onClick={() => setIsAsking(true)}>
          {action}
        </Button>
      }
    >
      {children}
      {'form' in props ? (
        <Dialog {...dialog}>{props.form}</Dialog>
      ) : (
        <Confirm
          {...dialog}
          action={action}
          onConfirm={props.onConfirm}
          {...(props.typedName !== undefined && { typedName: props.typedName })}
        />
      )}
    </Section>
  );
}
