import { useState } from 'react';
import { useCurrentUser } from '../../core/session/current-user.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { nameOf } from '../member-name.ts';
import { type Member, useMemberActions } from '../queries.ts';
import { useMembersText } from '../text.ts';

/** Makes another member the owner, once the name of the organization was typed. */
export function HandOverSection({ member }: { readonly member: Member }) {
  const [text, toast, orgId] = [useMembersText(), useToast(), useOrgId()];
  const { setRole } = useMemberActions(member.user_id);
  const { data: user } = useCurrentUser();
  const [isAsking, setIsAsking] = useState(false);
  const name = showInvisible(nameOf(member));
  const org = user?.orgs.find(({ id }) => id === orgId)?.name ?? '';
  return (
    <Section
      title={text.handOver}
      lead={text.handOverWhy(name)}
      isDanger
      actions={
        <Button look="danger" onClick={() => setIsAsking(true)}>
          {text.handOver}
        </Button>
      }
    >
      <Confirm
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={text.handOverTitle(showInvisible(org), name)}
        description={text.handOverWhy(name)}
        action={text.handOver}
        typedName={org}
        onConfirm={async () => {
          await setRole('owner');
          toast(text.handedOver(name));
        }}
      />
    </Section>
  );
}
