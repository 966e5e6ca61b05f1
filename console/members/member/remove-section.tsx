import { useState } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { nameOf } from '../member-name.ts';
import classes from '../members-page.module.css';
import { useMemberActions } from '../queries.ts';
import { type MemberSectionProps, whyNotEnd } from '../roles/rules.ts';
import { useMembersText } from '../text.ts';

interface RemoveSectionProps extends MemberSectionProps {
  readonly onRemoved: () => void;
}

/** Ends a membership, after it was said what stops with it. */
export function RemoveSection({ member, question, onRemoved }: RemoveSectionProps) {
  const [text, toast] = [useMembersText(), useToast()];
  const { remove } = useMemberActions(member.user_id);
  const [isAsking, setIsAsking] = useState(false);
  const name = showInvisible(nameOf(member));
  return (
    <Section
      title={text.remove}
      isDanger
      actions={
        <Button look="danger" reason={whyNotEnd(question, text)} onClick={() => setIsAsking(true)}>
          {text.removeAction}
        </Button>
      }
    >
      <ul className={classes.stops}>
        {text.stops.map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      <Confirm
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={text.removeTitle(name)}
        description={text.stops.slice(0, 2).join(' ')}
        action={text.removeAction}
        onConfirm={async () => {
          await remove();
          toast(text.removed(name));
          onRemoved();
        }}
      />
    </Section>
  );
}
