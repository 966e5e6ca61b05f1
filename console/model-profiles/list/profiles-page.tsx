import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, SlidersHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRefusal } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { formatNumber } from '../../core/text/numbers.ts';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { Empty } from '../../ui/page/empty.tsx';
import { FilterChips } from '../../ui/page/filter-chips.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Page } from '../../ui/page/page.tsx';
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
  const text = useProfilesText();
  const profiles = useProfiles();
  const hasSome = profiles.data !== undefined && profiles.data.length > 0;
  return (
    <Page title={text.title} lead={text.lead} actions={hasSome ? <AddLink /> : undefined}>
      <Loaded query={profiles}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={<SlidersHorizontal />} title={text.empty} action={<AddLink />}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <div className={classes.list}>
              <ProfileList profiles={rows} />
              <ResolveBox />
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function AddLink(): ReactNode {
  const [text, orgId, refusal] = [useProfilesText(), useOrgId(), useRefusal('providers.manage')];
  const words = (
    <>
      <Plus aria-hidden />
      {text.add}
    </>
  );
  if (refusal !== undefined)
    return (
      <Button look="primary" reason={refusal}>
        {words}
      </Button>
    );
  return (
    <Link to="/o/$orgId/model-profiles/new" params={{ orgId }} className={buttonClass('primary')}>
      {words}
    </Link>
  );
}

function ProfileList({ profiles }: { readonly profiles: readonly ModelProfile[] }): ReactNode {
  const text = useProfilesText();
  const navigate = useNavigate({ from: '/o/$orgId/model-profiles' });
  const { tag: chosen, work } = useSearch({ from: '/o/$orgId/model-profiles' });
  const tags = [...new Set(profiles.flatMap((profile) => profile.tags))].toSorted((a, b) => a.localeCompare(b));
  const show = (tag: string | undefined) =>
    void navigate({
      search: { ...(tag !== undefined && { tag }), ...(work !== undefined && { work }) },
      replace: true,
    });
  const shown = chosen === undefined ? profiles : profiles.filter((profile) => profile.tags.includes(chosen));
  const others = tags.filter((tag) => tag !== chosen);
  return (
    <>
      {tags.length > 0 && (
        <FilterChips
          active={
            chosen === undefined
              ? []
              : [{ key: chosen, label: text.tag(showInvisible(chosen)), onRemove: () => show(undefined) }]
          }
          more={others.map((tag, at) => ({
            key: tag,
            label: showInvisible(tag),
            ...(at === 0 && { heading: text.byTag }),
            run: () => show(tag),
          }))}
          onClear={() => show(undefined)}
        />
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
