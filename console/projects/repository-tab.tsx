import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { timeFromNow, timeOfDay } from '../core/text/formats.ts';
import { CopyButton } from '../ui/code/code-block.tsx';
import { ActionButton } from '../ui/overlays/dialog.tsx';
import { Badge, Facts, Loaded, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './projects.module.css';
import { type IssueSync, type Project, useSyncIssues, useSyncs } from './queries.ts';
import { RepoBadge } from './repo-badge.tsx';
import { useProjectsText } from './text.ts';

const TONES = { queued: 'calm', running: 'warn', waiting: 'warn', completed: 'good', failed: 'danger' } as const;
const COMMIT_CHARACTERS = 10;

/** How the repository of a project stands, and its issues with those of the code host. */
export function RepositoryTab({ project }: { readonly project: Project }): ReactNode {
  const text = useProjectsText();
  if (project.repo_url === '') return <p className="soft">{text.sync.noRepository}</p>;
  return (
    <div className={classes.parts}>
      <Repository project={project} />
      <Syncs project={project} />
      <Webhook project={project} />
    </div>
  );
}

function Repository({ project }: { readonly project: Project }): ReactNode {
  const text = useProjectsText();
  const { repo } = text;
  const { repo_branch: branch, repo_commit: commit, repo_fetched_at: at } = project;
  const facts = [
    { label: repo.state, value: <RepoBadge project={project} /> },
    ...(branch === null ? [] : [{ label: repo.branch, value: <code>{showInvisible(branch)}</code> }]),
    ...(commit === null ? [] : [{ label: repo.commit, value: <code>{commit.slice(0, COMMIT_CHARACTERS)}</code> }]),
    ...(at === null ? [] : [{ label: repo.fetched, value: timeFromNow(at) }]),
  ];
  return (
    <Section title={text.repository}>
      <Facts facts={facts} />
      {project.repo_error !== null && (
        <>
          <p className="danger wrap-anywhere">
            {repo.failed}: {showInvisible(project.repo_error)}
          </p>
          <p className="soft">{repo.willRetry}</p>
        </>
      )}
      {project.integration_error !== null && (
        <p className="danger wrap-anywhere">
          {repo.credentials}: {showInvisible(project.integration_error)}
        </p>
      )}
    </Section>
  );
}

function Syncs({ project }: { readonly project: Project }): ReactNode {
  const [{ sync: words }, refusal] = [useProjectsText(), useRefusal('projects.manage')];
  const [syncs, start] = [useSyncs(project.id), useSyncIssues(project.id)];
  const begin = (
    <ActionButton icon={RefreshCw} reason={refusal} done={words.started} action={async () => start.mutateAsync()}>
      {syncs.data?.[0]?.status === 'failed' ? words.retry : words.start}
    </ActionButton>
  );
  return (
    <Section title={words.title} actions={begin}>
      <Loaded query={syncs}>
        {(all) =>
          all.length === 0 ? (
            <p className="soft">{words.none}</p>
          ) : (
            <ol className={classes.rows}>
              {all.map((sync) => (
                <SyncRow key={sync.id} sync={sync} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </Section>
  );
}

function SyncRow({ sync }: { readonly sync: IssueSync }): ReactNode {
  const { sync: words } = useProjectsText();
  const { status, created, updated, total, skipped, error, waiting_until: until, created_at: at } = sync;
  return (
    <li>
      <Badge tone={TONES[status]}>{words.status[status]}</Badge>
      <span className={classes.grow}>
        {words.result(created, updated, total)}
        {skipped > 0 && `, ${words.skipped(skipped)}`}
        {status === 'waiting' && until !== null && `, ${words.until(timeOfDay(until))}`}
        {error !== null && <span className="danger wrap-anywhere"> {showInvisible(error)}</span>}
      </span>
      <time dateTime={at} className="soft">
        {timeFromNow(at)}
      </time>
    </li>
  );
}

function Webhook({ project }: { readonly project: Project }): ReactNode {
  const { repo } = useProjectsText();
  if (project.webhook_url === null) return null;
  return (
    <Section title={repo.webhook} lead={repo.webhookWhy}>
      <div className="row">
        <code className="wrap-anywhere">{project.webhook_url}</code>
        <CopyButton text={project.webhook_url} label={repo.copyAddress} />
      </div>
      <p className="soft">{repo.webhookSecret[project.has_webhook_secret ? 'true' : 'false']}</p>
    </Section>
  );
}
