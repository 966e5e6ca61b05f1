import { useNavigate } from '@tanstack/react-router';
import { DangerSection } from '../../ui/overlays/danger-section.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useSettingsText } from '../text.ts';
import { type Organization, useOrganizationActions } from './queries.ts';

interface LeaveSectionProps {
  readonly org: Organization;
  readonly isManaged: boolean;
}

/** Ends one's own membership. */
export function LeaveSection({ org, isManaged }: LeaveSectionProps) {
  const { organization: text, managed } = useSettingsText();
  const [navigate, toast, { leave }] = [useNavigate(), useToast(), useOrganizationActions()];
  const name = showInvisible(org.name);
  const ofOwner = org.role === 'owner' ? text.ownerStays : undefined;
  return (
    <DangerSection
      title={text.leave}
      why={text.leaveWhy}
      action={text.leave}
      question={text.leaveAsk(name)}
      reason={isManaged ? managed : ofOwner}
      onConfirm={async () => {
        await leave();
        toast(text.left(name));
        await navigate({ to: '/' });
      }}
    />
  );
}
