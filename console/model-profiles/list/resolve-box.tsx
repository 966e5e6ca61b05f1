import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Section } from '../../ui/page/section.tsx';
import { ProfileChoice } from '../profile-choice.tsx';
import { ProfileName } from '../profile-name.tsx';
import classes from '../profiles.module.css';
import { useResolvedProfile } from '../queries.ts';
import { useProfilesText } from '../text.ts';

/** Finds the profile that work with some tags would go by, as the server does. */
export function ResolveBox(): ReactNode {
  const text = useProfilesText().resolve;
  const navigate = useNavigate({ from: '/o/$orgId/model-profiles' });
  const { tag, work } = useSearch({ from: '/o/$orgId/model-profiles' });
  const resolved = useResolvedProfile(work);
  return (
    <Section title={text.title} lead={text.lead}>
      <Form
        submitLabel={text.find}
        look="primary"
        onSubmit={async ({ work: words = '' }) =>
          navigate({
            search: { ...(tag !== undefined && { tag }), ...(words.trim() !== '' && { work: words }) },
            replace: true,
          })
        }
      >
        <Field label={text.tags} name="work" hint={text.hint} defaultValue={work ?? ''} required maxLength={1_000} />
      </Form>
      {work !== undefined && (
        <div aria-live="polite">
          <Loaded query={resolved}>
            {(profile) =>
              profile === null ? (
                <p>{text.none}</p>
              ) : (
                <div className={classes.found}>
                  <ProfileName profile={profile} />
                  <ProfileChoice profile={profile} />
                </div>
              )
            }
          </Loaded>
        </div>
      )}
    </Section>
  );
}
