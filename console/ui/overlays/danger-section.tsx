import { type ReactNode, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Section } from '../page/section.tsx';
import { Confirm } from './confirm.tsx';

interface DangerSectionProps {
  readonly title: string;
  /** Says what it does, and what does not come back: below the title, and in the dialog. */
  readonly why: string;
  /** Names the act, on the buttons. */
  readonly action: string;
  /** Asks what is going to be done: "Delete Main?". */
  readonly question: string;
  /** Why it cannot be done now. */
  readonly reason: string | undefined;
  /** What has to be typed first, where nothing brings back what is taken away. */
  readonly typedName?: string;
  /** Does it. The dialog closes once it has worked, and says why when it has not. */
  readonly onConfirm: () => Promise<void>;
}

/** A part of a page for what cannot be undone, which asks before it is done. */
export function DangerSection(props: DangerSectionProps): ReactNode {
  const { title, why, action, question, reason, typedName, onConfirm } = props;
  const [isAsking, setIsAsking] = useState(false);
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
      <Confirm
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={question}
        description={why}
        action={action}
        onConfirm={onConfirm}
        {...(typedName !== undefined && { typedName })}
      />
    </Section>
  );
}
