import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { isAtLeast } from '../../domain/orgs.ts';
import { useAnswer } from '../core/http/use-answer.ts';
import { answerOf } from '../core/http/api-client.ts';
import { CURRENT_USER, useApi, useCurrentUser, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';
import { Field } from '../ui/fields/text-fields.tsx';
import { type Member, nameOf, useMembers } from '../members/queries.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Form } from '../ui/controls/form.tsx';
import { CheckboxField, NumberField, SelectField } from '../ui/fields/fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { DangerSection } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { useSettingsText } from './text.ts';

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

type Organization = components['schemas']['Organization'];

/** Returns the organization of the page. */
function useOrganization(): UseQueryResult<Organization> {
  const orgId = useOrgId();
  return useAnswer(['organization'], '/api/orgs/{org_id}', { params: { path: { org_id: orgId } } });
}

/** Returns what changes, leaves, deletes and makes organizations. */
function useOrganizationActions() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const params = { path: { org_id: orgId } };
  const readMine = async () => cache.invalidateQueries({ queryKey: CURRENT_USER });
  return {
    change: async (body: components['schemas']['OrganizationUpdate']) => {
      await answerOf(api.PATCH('/api/orgs/{org_id}', { params, body }));
      await Promise.all([cache.invalidateQueries({ queryKey: [orgId, 'organization'] }), readMine()]);
    },
    leave: async () => {
      await answerOf(api.POST('/api/orgs/{org_id}/leave', { params }));
      await readMine();
    },
    remove: async () => {
      await answerOf(api.DELETE('/api/orgs/{org_id}', { params }));
      await readMine();
    },
    /** Makes another organization; returns its id. */
    create: async (name: string) => {
      const { id } = await answerOf(api.POST('/api/orgs', { body: { name } }));
      await readMine();
      return id;
    },
  };
}

/** Deletes the organization, once its name was typed. */
function DeleteSection({ org }: { readonly org: Organization }) {
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

/** Ends one's own membership. */
function LeaveSection({ org, isManaged }: { readonly org: Organization; readonly isManaged: boolean }) {
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

const isDeciding = ({ role }: Member) => role !== 'viewer';

function DetailsSection({ org }: { readonly org: Organization }) {
  const { organization: text, saved } = useSettingsText();
  const { id, name, icon, color, role } = org;
  const { approvals_other_person: otherPerson, approvals_sign_in: signIn, approvals_reminder_minutes: reminder } = org;
  const { approvals_escalation_minutes: escalation, approvals_escalation_role: deputies } = org;
  const { approvals_escalation_user_id: deputy, approvals_quorum: quorum } = org;
  const stored = useMemo(
    () => ({
      name,
      icon,
      color,
      approvals_other_person: otherPerson,
      approvals_sign_in: signIn,
      approvals_quorum: quorum,
      approvals_reminder_minutes: reminder,
      approvals_escalation_minutes: escalation,
      approvals_escalation_role: deputies,
      approvals_escalation_user_id: deputy,
    }),
    [name, icon, color, otherPerson, signIn, quorum, reminder, escalation, deputies, deputy],
  );
  const { data: members = [] } = useMembers();
  const { change } = useOrganizationActions();
  return (
    <Section title={text.details}>
      <RecordForm
        draftKey={`organization.${id}`}
        stored={stored}
        reason={isAtLeast(role, 'admin') ? undefined : text.adminsOnly}
        done={saved}
        onSubmit={async ({ changes }) => change(changes)}
      >
        {({ field }) => (
          <>
            <Field label={text.name} required {...field('name')} />
            <Field label={text.icon} hint={`${text.iconHint} ${text.detailsWhy}`} {...field('icon')} />
            <Field label={text.color} hint={text.colorHint} {...field('color')} />
            <CheckboxField label={text.otherPerson} hint={text.otherPersonHint} {...field('approvals_other_person')} />
            <CheckboxField label={text.signIn} hint={text.signInHint} {...field('approvals_sign_in')} />
            <NumberField
              label={text.quorum}
              hint={text.quorumHint}
              min={1}
              max={20}
              {...field('approvals_quorum')}
              onValueChange={(people) => field('approvals_quorum').onValueChange(people ?? 1)}
            />
            <NumberField
              label={text.reminder}
              hint={text.reminderHint}
              unit={text.minutes}
              min={1}
              max={129_600}
              {...field('approvals_reminder_minutes')}
            />
            <NumberField
              label={text.escalation}
              hint={text.escalationHint}
              unit={text.minutes}
              min={1}
              max={129_600}
              {...field('approvals_escalation_minutes')}
            />
            <SelectField
              label={text.deputies}
              options={(['admin', 'owner', 'member'] as const).map((value) => ({
                value,
                label: text.deputyRoles[value],
              }))}
              {...field('approvals_escalation_role')}
            />
            <ChoiceField
              label={text.deputy}
              hint={text.deputyHint}
              choices={members.filter(isDeciding).map((member) => ({ value: member.user_id, label: nameOf(member) }))}
              {...field('approvals_escalation_user_id')}
            />
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
