import { useState } from 'react';
import { Problem } from '../../core/http/problem.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyOnce } from '../../ui/overlays/copy-once.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { nameOf } from '../member-name.ts';
import { useMemberActions } from '../queries.ts';
import { type MemberSectionProps, whyNoPasswordLink } from '../roles/rules.ts';
import { useMembersText } from '../text.ts';

/** Makes the link with which the user of a managed account sets a password, and shows it this once. */
export function PasswordSection({ member, question }: MemberSectionProps) {
  const [text, toast] = [useMembersText(), useToast()];
  const { makePasswordLink } = useMemberActions(member.user_id);
  const [isBusy, setIsBusy] = useState(false);
  const [link, setLink] = useState<string>();
  const make = async () => {
    setIsBusy(true);
    try {
      const { password_path: path } = await makePasswordLink();
      setLink(window.location.origin + path);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      toast(error.message, 'failed');
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Section
      title={text.password}
      lead={text.passwordWhy}
      actions={
        <Button busy={isBusy} reason={whyNoPasswordLink(question, text)} onClick={() => void make()}>
          {text.makeLink}
        </Button>
      }
    >
      <CopyOnce
        secret={link}
        title={text.linkTitle}
        description={text.linkWhy(showInvisible(nameOf(member)))}
        onStored={() => setLink(undefined)}
      />
    </Section>
  );
}
