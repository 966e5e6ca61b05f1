import { type ReactNode, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Section } from '../page/section.tsx';
import { ConfirmButton, type ConfirmButtonProps } from './confirm-button.tsx';
import { Dialog } from './dialog.tsx';

interface DangerProps extends Pick<ConfirmButtonProps, 'question' | 'why' | 'action' | 'reason'> {
  readonly title: string;
  /** What else is to be known, below the title only. */
  readonly children?: ReactNode;
}

type ConfirmedProps = DangerProps & Pick<ConfirmButtonProps, 'typedName' | 'onConfirm'>;

interface FormProps extends DangerProps {
  /** What is asked for before it is done, such as a password: a form that does it. */
  readonly form: ReactNode;
}

/** A part of a page for what cannot be undone, which asks before it is done. */
export function DangerSection({ title, children, ...asked }: ConfirmedProps | FormProps): ReactNode {
  const button = 'form' in asked ? <FormButton {...asked} /> : <ConfirmButton look="danger" {...asked} />;
  return (
    <Section title={title} lead={asked.why} isDanger actions={button}>
      {children}
    </Section>
  );
}

function FormButton({ question, why, action, reason, form }: Omit<FormProps, 'title'>): ReactNode {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button look="danger" reason={reason} onClick={() => setIsAsking(true)}>
        {action}
      </Button>
      <Dialog open={isAsking} onClose={() => setIsAsking(false)} title={question} description={why}>
        {form}
      </Dialog>
    </>
  );
}
