import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useSettingsText } from '../text.ts';
import { type Organization, useOrganizationActions } from './queries.ts';

/** Deletes the organization, once its name was typed. */
export function DeleteSection({ org }: { readonly org: Organization }) {
  const { organization: text } = useSettingsText();
  const [navigate, toast, { remove }] = [useNavigate(), useToast(), useOrganizationActions()];
  const [isAsking, setIsAsking] = useState(false);
  const name = showInvisible(org.name);
  return (
    <Section
      title={text.remove}
      lead={text.removeWhy}
      isDanger
      actions={
        <Button
          look="danger"
          reason={org.role === 'owner' ? undefined : text.ownerOnly}
          onClick={() => setIsAsking(true)}
        >
          {text.remove}
        </Button>
      }
    >
      <Confirm
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={text.removeAsk(name)}
        description={text.removeWhy}
        action={text.removeAction}
        typedName={org.name}
        onConfirm={async () => {
          await remove();
          toast(text.removed(name));
          await navigate({ to: '/' });
        }}
      />
    </Section>
  );
}
