import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { isLongEnough } from '../../domain/search.ts';
import { UsingAgents } from '../agents/using-agents.tsx';
import type { Problem } from '../core/http/problem.ts';
import { uploadFile } from '../core/http/upload-file.ts';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId, useSession } from '../core/session/session-context.tsx';
import { BackLink } from '../ui/controls/button.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { DropZone } from '../ui/files/files.tsx';
import { useFilesText } from '../ui/text.ts';
import { Uploads } from '../ui/files/uploads.ts';
import { RecordForm } from '../ui/form/record-form.tsx';
import { DeleteSection } from '../ui/form/delete-section.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge, Empty, Facts, Loaded, Page } from '../ui/page/page.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { showInvisible } from '../ui/visible.ts';
import { BaseFields, type BaseValues, EmbeddingBadge } from './base-fields.tsx';
import { DocumentsTab } from './documents-tab.tsx';
import classes from './knowledge.module.css';
import {
  type FoundPassage,
  type FoundPassages,
  type KnowledgeBase,
  type KnowledgeDocument,
  useDocumentActions,
  useFoundPassages,
  useKnowledgeActions,
  useKnowledgeBase,
} from './queries.ts';
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
        back={<BackLink to="/o/$orgId/knowledge-bases" params={{ orgId }} label={text.back} />}
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

/** Changes a knowledge base, says what its search by meaning has used, and deletes it. */
function SettingsTab({ base }: { readonly base: KnowledgeBase }): ReactNode {
  const text = useKnowledgeText();
  const [toast, actions, refusal] = [useToast(), useKnowledgeActions(), useRefusal('knowledge_bases.manage')];
  const { id, name, description, embedding_model: model, embedding } = base;
  const stored = useMemo<BaseValues>(() => ({ name, description, embedding_model: model }), [name, description, model]);
  return (
    <div className={classes.parts}>
      <RecordForm
        draftKey={`knowledge-base.${id}`}
        stored={stored}
        submitLabel={text.settings.save}
        reason={refusal}
        onSubmit={async ({ changes, values }) => {
          await actions.change(id, changes);
          toast(text.settings.saved(showInvisible(values.name)));
        }}
      >
        {({ field, values }) => (
          <>
            <BaseFields field={field} />
            {values.embedding_model !== model && <p className="soft font-normal">{text.settings.remodel}</p>}
          </>
        )}
      </RecordForm>
      <Facts
        facts={[
          { label: text.meaning, value: <EmbeddingBadge base={base} /> },
          { label: text.settings.model, value: embedding.model ?? text.settings.noModel },
          { label: text.settings.used, value: text.settings.usedOf(embedding.tokens, embedding.cost) },
        ]}
      />
      <UsingAgents uses={{ knowledge_base_id: id }} />
      <DeleteSection
        text={text.settings}
        name={name}
        isTyped
        reason={refusal}
        onRemove={async () => actions.remove(id)}
        list="/o/$orgId/knowledge-bases"
        draftKeys={[`knowledge-base.${id}`]}
      />
    </div>
  );
}

/** Asks a knowledge base a question, which is in the address, and shows the passages that answer it. */
function SearchTab({ base }: { readonly base: KnowledgeBase }): ReactNode {
  const text = useKnowledgeText().search;
  const { q = '' } = useSearch({ from: '/o/$orgId/knowledge-bases/$baseId' });
  const navigate = useNavigate({ from: '/o/$orgId/knowledge-bases/$baseId' });
  return (
    <div className={classes.parts}>
      <Form
        key={q}
        submitLabel={text.find}
        onSubmit={async ({ q: words = '' }) => {
          await navigate({ search: { tab: 'search', ...(words.trim() !== '' && { q: words.trim() }) } });
        }}
      >
        <Field label={text.field} hint={text.hint} name="q" type="search" defaultValue={q} required maxLength={2_000} />
      </Form>
      {isLongEnough(q) && <Answer base={base} question={q} />}
      {q !== '' && !isLongEnough(q) && <p className="soft font-normal">{text.tooShort}</p>}
    </div>
  );
}

function Answer({ base, question }: { readonly base: KnowledgeBase; readonly question: string }): ReactNode {
  const text = useKnowledgeText().search;
  const found = useFoundPassages(base.id, question);
  // Of a base that is searched by words alone nobody expects more, and the page says already why one waits.
  const isPartial = base.embedding_model !== 'off' && base.embedding.status !== 'waiting';
  return (
    <Loaded query={found}>
      {(answer) =>
        answer.results.length === 0 ? (
          <Empty icon={<SearchX />} title={text.none}>
            {text.noneWhy} {isPartial && <Reason answer={answer} />}
          </Empty>
        ) : (
          <section aria-label={text.found(answer.results.length)}>
            <output className="soft font-normal">{text.found(answer.results.length)}</output>
            {isPartial && (
              <p className="soft font-normal">
                <Reason answer={answer} />
              </p>
            )}
            <ol className={classes.found}>
              {answer.results.map((passage) => (
                <Passage key={`${passage.document_id}.${passage.position}`} passage={passage} />
              ))}
            </ol>
          </section>
        )
      }
    </Loaded>
  );
}

/** Says why not all passages were compared by meaning. */
function Reason({ answer: { meaning } }: { readonly answer: FoundPassages }): ReactNode {
  const text = useKnowledgeText().search;
  return meaning.reason === null ? null : text.notAll(showInvisible(meaning.reason));
}

function Passage({ passage }: { readonly passage: FoundPassage }): ReactNode {
  const text = useKnowledgeText().search;
  const { document_title: title, heading, url, text: words, found_by: kinds } = passage;
  return (
    <li>
      <div className="row items-baseline gap-1-2">
        <strong>{showInvisible(title)}</strong>
        {heading !== '' && heading !== title && <span className="soft font-normal">{showInvisible(heading)}</span>}
        {kinds.map((kind) => (
          <Badge key={kind}>{text.foundBy[kind]}</Badge>
        ))}
        {url !== null && url !== '' && (
          <a href={url} target="_blank" rel="noopener noreferrer nofollow" className="soft font-normal">
            {text.source}
          </a>
        )}
      </div>
      <p className={classes.passage}>{showInvisible(words)}</p>
    </li>
  );
}

/** Those whose page was left. */
const unseen = new WeakSet<Uploads>();

/**
 * Returns what adds files to a knowledge base. They are uploaded to their end when its page is left, where a message
 * says which are refused, and once they are uploaded, they stand among the documents.
 */
function useDocumentUploads(baseId: string): Uploads {
  const [session, orgId, toast] = [useSession(), useOrgId(), useToast()];
  const [actions, words] = [useDocumentActions(baseId), useFilesText()];
  const [uploads] = useState(() => {
    const opened = new Uploads({
      upload: async (file, options) => {
        const path = `/api/knowledge-bases/${baseId}/documents/upload`;
        const sent = { orgId, path, file, ...options };
        const { id } = await uploadFile<KnowledgeDocument>(session, sent).catch((error: Problem) => {
          const reason = error.status === 0 ? words.offline : error.message;
          if (unseen.has(opened)) toast(`${showInvisible(file.name)} ${words.failed(reason)}`, 'failed');
          throw error;
        });
        await actions.refresh();
        return { id, name: file.name, size: file.size };
      },
      discard: (id) => void actions.remove(id).catch(({ message }: Error) => toast(message, 'failed')),
    });
    opened.subscribe(() => {
      if (opened.list().some(({ state }) => state === 'ready')) opened.take();
    });
    return opened;
  });
  useEffect(() => {
    unseen.delete(uploads);
    return () => void unseen.add(uploads);
  }, [uploads]);
  return uploads;
}
