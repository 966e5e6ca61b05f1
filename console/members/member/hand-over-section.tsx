import { useCurrentUser } from '../../core/session/current-user.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { DangerSection } from '../../ui/overlays/danger-section.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { nameOf } from '../member-name.ts';
import { type Member, useMemberActions } from '../queries.ts';
import { useMembersText } from '../text.ts';

/** Makes another member the owner, once the name of the organization was typed. */
export function HandOverSection({ member }: { readonly member: Member }) {
  const [text, toast, orgId] = [useMembersText(), useToast(), useOrgId()];
  const { setRole } = useMemberActions(member.user_id);
  const { data: user } = useCurrentUser();
  const name = showInvisible(nameOf(member));
  const org = user?.orgs.find(({ id }) => id === orgId)?.name ?? '';
  return (
    <DangerSection
      title={text.handOver}
      why={text.handOverWhy(name)}
      action={text.handOver}
      question={text.handOverTitle(showInvisible(org), name)}
      reason={undefined}
      typedName={org}
      onConfirm={async () => {
        await setRole('owner');
        toast(text.handedOver(name));
      }}
    />
  );
}
