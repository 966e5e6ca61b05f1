import { useNavigate, useSearch } from '@tanstack/react-router';
import { SlidersHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { useChangeSearch } from '../core/routing/search.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { formatNumber } from '../core/text/formats.ts';
import { useChains } from '../provider-chains/queries.ts';
import { useCatalog } from '../providers/queries.ts';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { ChoiceFilters, ListPage, RecordName } from '../ui/list-page/list-page.tsx';
import { type Column, Loaded, Section, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './profiles.module.css';
import { type ModelProfile, useProfiles, useResolvedProfile } from './queries.ts';
import { useProfilesText } from './text.ts';

/** The model profiles of the organization, by tags, and which of them some work would go by. */
export function ProfilesPage(): ReactNode {
  return (
    <ListPage
      text={useProfilesText()}
      icon={<SlidersHorizontal />}
      query={useProfiles()}
      add={{ right: 'providers.manage', to: '/o/$orgId/model-profiles/new' }}
    >
      {(rows) => (
        <div className="stack">
          <ProfileList profiles={rows} />
          <ResolveBox />
        </div>
      )}
    </ListPage>
  );
}

/** Finds the profile that work with some tags would go by, as the server does. */
function ResolveBox(): ReactNode {
  const text = useProfilesText().resolve;
  const navigate = useNavigate({ from: '/o/$orgId/model-profiles' });
  const { tag, work } = useSearch({ from: '/o/$orgId/model-profiles' });
  const resolved = useResolvedProfile(work);
  return (
    <Section title={text.title} lead={text.lead}>
      <Form
        submitLabel={text.find}
        variant="primary"
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

/** The name of a profile, which leads to it, and what it is for. */
function ProfileName({ profile: { id, name, description } }: { readonly profile: ModelProfile }): ReactNode {
  const params = { orgId: useOrgId(), profileId: id };
  return <RecordName to="/o/$orgId/model-profiles/$profileId" params={params} name={name} note={description} />;
}

/** Says who answers under a profile: a model of a provider, or a chain. */
function ProfileChoice({ profile }: { readonly profile: ModelProfile }): ReactNode {
  const text = useProfilesText();
  const [{ data: entries = [] }, { data: chains = [] }] = [useCatalog(), useChains()];
  const { provider_type: type, model_name: model, provider_chain_id: chainId } = profile;
  if (chainId !== null) {
    const chain = chains.find(({ id }) => id === chainId);
    return <span>{text.chainOf(showInvisible(chain?.name ?? chainId))}</span>;
  }
  if (type === null) return <span className="warn small">{text.lostChain}</span>;
  const provider = entries.find(({ key }) => key === type)?.name ?? type;
  return (
    <span className="column items-start min-w-0">
      {showInvisible(model ?? text.accountsModel)}
      <span className="measure soft font-normal wrap-anywhere">{showInvisible(provider)}</span>
    </span>
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
        <span className="wrap gap-1">
          {tags.map((tag) => (
            <span key={tag} className={`faint wrap-anywhere ${classes.tag}`}>
              {showInvisible(tag)}
            </span>
          ))}
        </span>
      ),
    },
    { key: 'priority', title: text.priority, isNumber: true, cell: ({ priority }) => formatNumber(priority) },
  ];
}
