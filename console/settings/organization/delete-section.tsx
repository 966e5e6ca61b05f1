import { useNavigate } from '@tanstack/react-router';
import { DangerSection } from '../../ui/overlays/danger-section.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useSettingsText } from '../text.ts';
import { type Organization, useOrganizationActions } from './queries.ts';

/** Deletes the organization, once its name was typed. */
export function DeleteSection({ org }: { readonly org: Organization }) {
  const { organization: text } = useSettingsText();
  const [navigate, toast, { remove }] = [useNavigate(), useToast(), useOrganizationActions()];
  const name = showInvisible(org.name);
  return (
    <DangerSection
      title={text.remove}
      why={text.removeWhy}
      action={text.remove}
      question={text.removeAsk(name)}
      reason={org.role === 'owner' ? undefined : text.ownerOnly}
      typedName={org.name}
      onConfirm={async () => {
        await remove();
        toast(text.removed(name));
        await navigate({ to: '/' });
      }}
    />
  );
}
