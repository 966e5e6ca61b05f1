import { type ReactNode, useMemo } from 'react';
import { useCan } from '../core/permissions.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { plainJson } from '../ui/form/use-record.ts';
import { RecordForm, type SentRecord } from '../ui/form/record-form.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type Project, type ProjectChanges, useChains, useIntegrations } from './queries.ts';
import { useProjectsText } from './text.ts';

/** What the form changes of a project. */
type ProjectValues = Required<Omit<ProjectChanges, 'agent_ids' | 'webhook_secret'>> & {
  /** '' leaves what is stored. */
  readonly webhook_secret: string;
};

interface ProjectFormProps {
  /** The project that is changed; a new one unless given. */
  readonly project?: Project;
  /** Why it cannot be saved; undefined when it can. */
  readonly reason: string | undefined;
  readonly onSubmit: (sent: SentRecord<ProjectValues>) => Promise<void>;
  /** Reads the project again after somebody else has changed it. */
  readonly onReload?: () => void;
}

const TYPES = ['', 'github', 'gitlab', 'gitea'] as const;
const HOSTS: ReadonlySet<string> = new Set(['github', 'gitlab', 'gitea']);

/** The fields of a project, new or stored. */
export function ProjectForm({ project, reason, onSubmit, onReload }: ProjectFormProps): ReactNode {
  const text = useProjectsText();
  const words = text.fields;
  const [mayIntegrations, mayChains, mayWebhooks] = [
    useCan('integrations.view'),
    useCan('providers.view'),
    useCan('webhooks.manage'),
  ];
  const integrations = useIntegrations(mayIntegrations).data ?? [];
  const chains = useChains(mayChains).data ?? [];
  const stored = useMemo(() => valuesOf(project), [project]);
  return (
    <RecordForm
      draftKey={`project.${project?.id ?? 'new'}`}
      stored={stored}
      isNew={project === undefined}
      secrets={['repo_url', 'webhook_secret']}
      submitLabel={project === undefined ? text.add : text.save}
      reason={reason}
      json={PROJECT_JSON}
      onSubmit={onSubmit}
      {...(onReload !== undefined && { onReload })}
    >
      {({ field, values }) => (
        <>
          <Field label={words.name} {...field('name')} required maxLength={200} />
          <TextAreaField label={words.description} hint={words.descriptionHint} {...field('description')} />
          {mayChains && (
            <ChoiceField
              label={words.chain}
              hint={words.chainHint}
              placeholder={words.noChain}
              choices={chains.map(({ id, name }) => ({ value: id, label: showInvisible(name) }))}
              {...field('provider_chain_id')}
            />
          )}
          <Field label={words.url} hint={words.urlHint} inputMode="url" {...field('repo_url')} />
          {values.repo_url !== '' && (
            <>
              <SelectField
                label={words.type}
                placeholder={words.types['']}
                options={TYPES.map((value) => ({ value, label: words.types[value] }))}
                {...field('repo_type')}
              />
              {mayIntegrations && (
                <ChoiceField
                  label={words.integration}
                  hint={words.integrationHint}
                  placeholder={words.noIntegration}
                  choices={integrations
                    .filter(({ kind }) => HOSTS.has(kind))
                    .map(({ id, name }) => ({ value: id, label: showInvisible(name) }))}
                  {...field('integration_id')}
                />
              )}
              <SelectField
                label={words.direction}
                options={(['pull', 'both'] as const).map((value) => ({ value, label: words.directions[value] }))}
                {...field('sync_direction')}
              />
              {mayWebhooks && (
                <Field
                  label={words.secret}
                  hint={project?.has_webhook_secret === true ? words.secretStored : words.secretHint}
                  type="password"
                  autoComplete="off"
                  {...field('webhook_secret')}
                />
              )}
            </>
          )}
        </>
      )}
    </RecordForm>
  );
}

const PROJECT_JSON = plainJson<ProjectValues>({ secrets: ['webhook_secret'] });

const EMPTY: ProjectValues = {
  name: '',
  description: '',
  repo_url: '',
  repo_type: '',
  integration_id: null,
  sync_direction: 'pull',
  provider_chain_id: null,
  webhook_secret: '',
};

/** Returns what the form changes of a stored project, and what a new one begins with. */
export function valuesOf(project: Project | undefined): ProjectValues {
  if (project === undefined) return EMPTY;
  const { name, description, repo_url, repo_type, integration_id, sync_direction, provider_chain_id } = project;
  const fields = { name, description, repo_url, repo_type, integration_id, sync_direction, provider_chain_id };
  return { ...EMPTY, ...fields };
}
