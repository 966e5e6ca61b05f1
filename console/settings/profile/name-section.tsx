import { useMemo } from 'react';
import type { CurrentUser } from '../../core/session/session.ts';
import { Field } from '../../ui/controls/field.tsx';
import { RecordForm } from '../../ui/form/record-form.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Section } from '../../ui/page/section.tsx';
import { useSettingsText } from '../text.ts';
import { useProfileActions } from './queries.ts';

/** The name by which others see the user. */
export function NameSection({ user: { full_name: name } }: { readonly user: CurrentUser }) {
  const [text, toast] = [useSettingsText(), useToast()];
  const stored = useMemo(() => ({ full_name: name }), [name]);
  const { setName } = useProfileActions();
  return (
    <Section title={text.name.title} lead={text.name.lead}>
      <RecordForm
        draftKey="profile"
        stored={stored}
        onSubmit={async ({ values }) => {
          await setName(values.full_name);
          toast(text.saved);
        }}
      >
        {({ field }) => <Field label={text.name.field} autoComplete="name" required {...field('full_name')} />}
      </RecordForm>
    </Section>
  );
}
