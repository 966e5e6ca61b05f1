import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Section } from '../../ui/page/section.tsx';
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
  const [isAsking, setIsAsking] = useState(false);
  const name = showInvisible(org.name);
  const ofOwner = org.role === 'owner' ? text.ownerStays : undefined;
  return (
    <Section
      title={text.leave}
      lead={text.leaveWhy}
      isDanger
      actions={
        <Button look="danger" reason={isManaged ? managed : ofOwner} onClick={() => setIsAsking(true)}>
          {text.leave}
        </Button>
      }
    >
      <Confirm
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={text.leaveAsk(name)}
        description={text.leaveWhy}
        action={text.leave}
        onConfirm={async () => {
          await leave();
          toast(text.left(name));
          await navigate({ to: '/' });
        }}
      />
    </Section>
  );
}
