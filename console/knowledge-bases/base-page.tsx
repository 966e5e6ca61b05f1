import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { BackLink } from '../ui/controls/back-link.tsx';
import { DropZone } from '../ui/files/drop-zone.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { showInvisible } from '../ui/visible.ts';
import { DocumentsTab } from './documents/documents-tab.tsx';
import { useDocumentUploads } from './documents/use-document-uploads.ts';
import classes from './knowledge.module.css';
import { type KnowledgeBase, useKnowledgeBase } from './queries.ts';
import { SearchTab } from './search-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { useKnowledgeText } from './text.ts';

/** One knowledge base: its documents, what is found in them, and its settings. */
export function KnowledgeBasePage(): ReactNode {
  const { baseId } = useParams({ from: '/o/$orgId/knowledge-bases/$baseId' });
  const base = useKnowledgeBase(baseId);
  return <Loaded query={base}>{(data) => <OpenBase key={baseId} base={data} />}</Loaded>;
}

function OpenBase({ base }: { readonly base: KnowledgeBase }): ReactNode {
  const [text, orgId] = [useKnowledgeText(), useOrgId()];
  const { tab, q } = useSearch({ from: '/o/$orgId/knowledge-bases/$baseId' });
  const navigate = useNavigate({ from: '/o/$orgId/knowledge-bases/$baseId' });
  const words = text.tabs;
  const [uploads, refusal] = [useDocumentUploads(base.id), useRefusal('knowledge_bases.manage')];
  const show = (chosen: typeof tab) =>
    void navigate({
      search: { ...(chosen !== 'documents' && { tab: chosen }), ...(q !== undefined && { q }) },
      replace: true,
    });
  const take = (files: readonly File[]) => {
    uploads.add(files);
    show('documents');
  };
  const { error } = base.embedding;
  return (
    <DropZone
      label={showInvisible(base.name)}
      hint={text.documents.drop}
      onFiles={refusal === undefined ? take : undefined}
    >
      <Page
        title={showInvisible(base.name)}
        lead={base.description === '' ? undefined : showInvisible(base.description)}
        back={
          <BackLink to="/o/$orgId/knowledge-bases" params={{ orgId }}>
            {text.back}
          </BackLink>
        }
      >
        {base.embedding.status === 'waiting' && error !== null && (
          <p className={classes.note}>
            {text.embedding.waitingWhy(showInvisible(error))}{' '}
            <Link
              from="/o/$orgId/knowledge-bases/$baseId"
              to="/o/$orgId/knowledge-bases/$baseId"
              search={{ tab: 'settings' }}
              replace
            >
              {words.settings}
            </Link>
          </p>
        )}
        <Tabs
          label={words.label}
          value={tab}
          onValueChange={show}
          tabs={[
            {
              value: 'documents' as const,
              label: words.documents,
              count: base.documents,
              content: <DocumentsTab base={base} uploads={uploads} />,
            },
            { value: 'search' as const, label: words.search, content: <SearchTab base={base} /> },
            { value: 'settings' as const, label: words.settings, content: <SettingsTab base={base} /> },
          ]}
        />
      </Page>
    </DropZone>
  );
}
