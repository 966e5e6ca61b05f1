import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { isAtLeast } from '../../../domain/orgs/index.ts';
import { useCurrentUser } from '../../core/session/current-user.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { CheckboxField } from '../../ui/fields/toggle-fields.tsx';
import { RecordForm } from '../../ui/form/record-form.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Section } from '../../ui/page/section.tsx';
import { useSettingsText } from '../text.ts';
import { DeleteSection } from './delete-section.tsx';
import { LeaveSection } from './leave-section.tsx';
import { type Organization, useOrganization, useOrganizationActions } from './queries.ts';

/** The organization: what it is called, the way out of it, its end, and the way to another one. */
export function OrganizationPage() {
  const { data: user } = useCurrentUser();
  const isManaged = user?.is_managed === true;
  return (
    <Loaded query={useOrganization()}>
      {(org) => (
        <>
          <DetailsSection org={org} />
          {!isManaged && <CreateSection />}
          <LeaveSection org={org} isManaged={isManaged} />
          <DeleteSection org={org} />
        </>
      )}
    </Loaded>
  );
}

function DetailsSection({ org }: { readonly org: Organization }) {
  const [{ organization: text, saved }, toast] = [useSettingsText(), useToast()];
  const { id, name, icon, color, role, approvals_other_person: otherPerson } = org;
  const stored = useMemo(
    () => ({ name, icon, color, approvals_other_person: otherPerson }),
    [name, icon, color, otherPerson],
  );
  const { change } = useOrganizationActions();
  return (
    <Section title={text.details}>
      <RecordForm
        draftKey={`organization.${id}`}
        stored={stored}
        reason={isAtLeast(role, 'admin') ? undefined : text.adminsOnly}
        onSubmit={async ({ changes }) => {
          await change(changes);
          toast(saved);
        }}
      >
        {({ field }) => (
          <>
            <Field label={text.name} required {...field('name')} />
            <Field label={text.icon} hint={`${text.iconHint} ${text.detailsWhy}`} {...field('icon')} />
            <Field label={text.color} hint={text.colorHint} {...field('color')} />
            <CheckboxField label={text.otherPerson} hint={text.otherPersonHint} {...field('approvals_other_person')} />
          </>
        )}
      </RecordForm>
    </Section>
  );
}

function CreateSection() {
  const { organization: text } = useSettingsText();
  const [navigate, { create }] = [useNavigate(), useOrganizationActions()];
  return (
    <Section title={text.create} lead={text.createWhy}>
      <Form
        submitLabel={text.createAction}
        onSubmit={async ({ name = '' }) => navigate({ to: '/o/$orgId', params: { orgId: await create(name) } })}
      >
        <Field label={text.name} name="name" required />
      </Form>
    </Section>
  );
}
