import { DangerSection } from '../../ui/overlays/danger-section.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { nameOf } from '../member-name.ts';
import classes from '../members-page.module.css';
import { useMemberActions } from '../queries.ts';
import { type MemberSectionProps, whyNotEnd } from '../roles/rules.ts';
import { useMembersText } from '../text.ts';

interface RemoveSectionProps extends MemberSectionProps {
  readonly onRemoved: () => void;
}

/** Ends a membership, after it was said what stops with it and what stays. */
export function RemoveSection({ member, question, onRemoved }: RemoveSectionProps) {
  const [text, toast] = [useMembersText(), useToast()];
  const { remove } = useMemberActions(member.user_id);
  const name = showInvisible(nameOf(member));
  return (
    <DangerSection
      title={text.remove}
      why={text.removeWhy}
      action={text.removeAction}
      question={text.removeTitle(name)}
      reason={whyNotEnd(question, text)}
      onConfirm={async () => {
        await remove();
        toast(text.removed(name));
        onRemoved();
      }}
    >
      <ul className={classes.stays}>
        {text.stays.map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
    </DangerSection>
  );
}
