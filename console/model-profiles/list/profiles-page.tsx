import { useSearch } from '@tanstack/react-router';
import { SlidersHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRefusal } from '../../core/permissions.ts';
import { useChangeSearch } from '../../core/routing/search.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { formatNumber } from '../../core/text/numbers.ts';
import { ChoiceFilters } from '../../ui/list-page/choice-filters.tsx';
import { AddLink, ListPage } from '../../ui/list-page/list-page.tsx';
import { type Column, Table } from '../../ui/page/table.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { ProfileChoice } from '../profile-choice.tsx';
import { ProfileName } from '../profile-name.tsx';
import classes from '../profiles.module.css';
import { type ModelProfile, useProfiles } from '../queries.ts';
import { useProfilesText } from '../text.ts';
import { ResolveBox } from './resolve-box.tsx';

/** The model profiles of the organization, by tags, and which of them some work would go by. */
export function ProfilesPage(): ReactNode {
  const [text, orgId] = [useProfilesText(), useOrgId()];
  const [profiles, refusal] = [useProfiles(), useRefusal('providers.manage')];
  return (
    <ListPage
      title={text.title}
      lead={text.lead}
      query={profiles}
      empty={{ icon: <SlidersHorizontal />, title: text.empty, why: text.emptyWhy }}
      add={<AddLink to="/o/$orgId/model-profiles/new" params={{ orgId }} label={text.add} reason={refusal} />}
    >
      {(rows) => (
        <div className={classes.list}>
          <ProfileList profiles={rows} />
          <ResolveBox />
        </div>
      )}
    </ListPage>
  );
}

function ProfileList({ profiles }: { readonly profiles: readonly ModelProfile[] }): ReactNode {
  const text = useProfilesText();
  const { tag: chosen } = useSearch({ from: '/o/$orgId/model-profiles' });
  const change = useChangeSearch<{ readonly tag: string }>();
  const tags = [...new Set(profiles.flatMap((profile) => profile.tags))].toSorted((a, b) => a.localeCompare(b));
  const choices = tags.map((tag) => ({ value: tag, label: tag }));
  const shown = chosen === undefined ? profiles : profiles.filter((profile) => profile.tags.includes(chosen));
  return (
    <>
      {tags.length > 0 && (
        <ChoiceFilters filters={[{ key: 'tag', label: text.tag, value: chosen, choices }]} onChange={change} />
      )}
      {shown.length === 0 ? (
        <p>{text.noneWithTag}</p>
      ) : (
        <Table label={text.title} columns={columnsOf(text)} rows={shown} keyOf={({ id }) => id} />
      )}
    </>
  );
}

function columnsOf(text: ReturnType<typeof useProfilesText>): readonly Column<ModelProfile>[] {
  return [
    { key: 'name', title: text.name, cell: (profile) => <ProfileName profile={profile} /> },
    { key: 'answers', title: text.answers, cell: (profile) => <ProfileChoice profile={profile} /> },
    {
      key: 'tags',
      title: text.tags,
      cell: ({ tags }) => (
        <span className={classes.tags}>
          {tags.map((tag) => (
            <span key={tag} className={classes.tag}>
              {showInvisible(tag)}
            </span>
          ))}
        </span>
      ),
    },
    { key: 'priority', title: text.priority, isNumber: true, cell: ({ priority }) => formatNumber(priority) },
  ];
}
