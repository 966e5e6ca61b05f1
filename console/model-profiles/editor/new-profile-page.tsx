import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRefusal } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { RecordForm } from '../../ui/form/record-form.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { BackLink } from '../../ui/controls/back-link.tsx';
import { Page } from '../../ui/page/page.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../profiles.module.css';
import { useProfileActions } from '../queries.ts';
import { useProfilesText } from '../text.ts';
import { ProfileFields } from './profile-fields.tsx';
import { bodyOf, NEW_PROFILE, PROFILE_JSON } from './profile-values.ts';

/** Adds a model profile. */
export function NewProfilePage(): ReactNode {
  const text = useProfilesText();
  const [{ add }, refusal, toast] = [useProfileActions(), useRefusal('providers.manage'), useToast()];
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  return (
    <Page
      title={text.newTitle}
      back={
        <BackLink to="/o/$orgId/model-profiles" params={{ orgId }}>
          {text.back}
        </BackLink>
      }
    >
      <div className={classes.sections}>
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
