import { useState } from 'react';
import { isAtLeast } from '../../../domain/orgs/index.ts';
import { Problem } from '../../core/http/problem.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { nameOf } from '../member-name.ts';
import classes from '../members-page.module.css';
import { useMemberActions } from '../queries.ts';
import { RoleField } from '../roles/role-field.tsx';
import { type MemberSectionProps, whyNotRole } from '../roles/rules.ts';
import { useMembersText } from '../text.ts';

/** The role of a member, to be changed by whom the rules allow it. */
export function RoleSection({ member, question }: MemberSectionProps) {
  const [text, toast] = [useMembersText(), useToast()];
  const { setRole } = useMemberActions(member.user_id);
  const [chosen, setChosen] = useState(member.role);
  const [isBusy, setIsBusy] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const change = async () => {
    await setRole(chosen);
    toast(text.changed(showInvisible(nameOf(member)), text.roles[chosen]));
  };
  const save = async () => {
    setIsBusy(true);
    await change().catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      toast(error.message, 'failed');
    });
    setIsBusy(false);
  };
  if (member.role === 'owner') return <Section title={text.roles.owner} lead={text.why.ownerStays} />;
  if (!isAtLeast(question.caller, 'admin'))
    return <Section title={text.roles[member.role]} lead={text.rolesSay[member.role]} />;
  return (
    <Section title={text.role}>
      <RoleField
        isTitled
        value={chosen}
        onValueChange={setChosen}
        whyNot={(role) => whyNotRole(question, role, text)}
      />
      <div className={classes.actions}>
        <Button
          look="primary"
          busy={isBusy}
          reason={chosen === member.role ? text.unchanged : whyNotRole(question, chosen, text)}
          onClick={() => (question.isSelf ? setIsAsking(true) : void save())}
        >
          {text.save}
        </Button>
      </div>
      <Confirm
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={text.lower}
        description={text.lowerWhy}
        action={text.stepDown}
        onConfirm={change}
      />
    </Section>
  );
}
