import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { UsingAgents } from '../agents/using-agents.tsx';
import { useOwnerRefusal, useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { BackLink } from '../ui/controls/button.tsx';
import { DeleteSection } from '../ui/form/delete-section.tsx';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { RecordForm } from '../ui/form/record-form.tsx';
import { RecordMenu } from '../ui/form/record-menu.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded, Page } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { bodyOf, changesOf, NEW_PROFILE, PROFILE_JSON, ProfileFields, valuesOf } from './profile-fields.tsx';
import { type ModelProfile, useProfile, useProfileActions } from './queries.ts';
import { useProfilesText } from './text.ts';

/** Changes a model profile, or deletes it. */
export function ProfilePage(): ReactNode {
  const text = useProfilesText();
  const { orgId, profileId } = useParams({ from: '/o/$orgId/model-profiles/$profileId' });
  const profile = useProfile(profileId);
  const { data } = profile;
  return (
    <Page
      title={data === undefined ? text.title : showInvisible(data.name)}
      back={<BackLink to="/o/$orgId/model-profiles" params={{ orgId }} label={text.back} />}
      actions={data && <ProfileMenu profile={data} />}
    >
      <Loaded query={profile}>{(record) => <OpenProfile key={record.id} profile={record} />}</Loaded>
    </Page>
  );
}

function OpenProfile({ profile }: { readonly profile: ModelProfile }): ReactNode {
  const text = useProfilesText();
  const [toast, actions] = [useToast(), useProfileActions()];
  const reason = useOwnerRefusal('providers.manage', text.notYours)(profile.owner_id);
  const stored = useMemo(() => valuesOf(profile), [profile]);
  return (
    <div className="form">
      <RecordForm
        draftKey={`model-profile.${profile.id}`}
        stored={stored}
        reason={reason}
        json={PROFILE_JSON}
        onReload={() => void actions.read()}
        onSubmit={async ({ changes, values, overwrite }) => {
          await actions.change(profile.id, changesOf(changes, values), overwrite ? undefined : profile.updated_at);
          toast(text.saved(showInvisible(values.name)));
        }}
      >
        {(record) => <ProfileFields record={record} />}
      </RecordForm>
      <UsingAgents uses={{ model_profile_id: profile.id }} />
      <DeleteSection
        text={text}
        name={profile.name}
        reason={reason}
        onRemove={async () => actions.remove(profile.id)}
        list="/o/$orgId/model-profiles"
        draftKeys={[`model-profile.${profile.id}`]}
      />
    </div>
  );
}

function ProfileMenu({ profile }: { readonly profile: ModelProfile }): ReactNode {
  const text = useProfilesText();
  const [{ add }, refusal] = [useProfileActions(), useRefusal('providers.manage')];
  const show = useShowAdded('/o/$orgId/model-profiles/$profileId', text.added);
  const body = bodyOf(valuesOf(profile));
  return (
    <RecordMenu
      kind="model-profile"
      name={profile.name}
      body={body}
      mayAdd={refusal === undefined}
      onDuplicate={async (name) => void show(await add({ ...body, name }))}
    />
  );
}

/** Adds a model profile. */
export function NewProfilePage(): ReactNode {
  const text = useProfilesText();
  const [{ add }, refusal, toast] = [useProfileActions(), useRefusal('providers.manage'), useToast()];
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  return (
    <Page title={text.add} back={<BackLink to="/o/$orgId/model-profiles" params={{ orgId }} label={text.back} />}>
      <div className="form">
        <RecordForm
          draftKey="model-profile.new"
          stored={NEW_PROFILE}
          isNew
          submitLabel={text.add}
          reason={refusal}
          json={PROFILE_JSON}
          onSubmit={async ({ values }) => {
            const { name } = await add(bodyOf(values));
            toast(text.added(showInvisible(name)));
            await navigate({ to: '/o/$orgId/model-profiles', params: { orgId } });
          }}
        >
          {(record) => <ProfileFields record={record} />}
        </RecordForm>
      </div>
    </Page>
  );
}
