import { Download, FileText, FileUp, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { saveFile } from '../core/browser/browser.ts';
import { useRefusal } from '../core/permissions.ts';
import { timeFromNow } from '../core/text/formats.ts';
import { Button } from '../ui/controls/button.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { FileButton, UploadList, useUploadList } from '../ui/files/files.tsx';
import type { Uploads } from '../ui/files/uploads.ts';
import { RecordForm } from '../ui/form/record-form.tsx';
import { ActionButton, ConfirmButton, Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge, type Column, Empty, Loaded, Pager, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './knowledge.module.css';
import {
  type KnowledgeBase,
  type KnowledgeDocument,
  type NewDocument,
  useDocumentActions,
  useDocuments,
} from './queries.ts';
import { type KnowledgeText, useKnowledgeText } from './text.ts';

const TONES = { pending: 'calm', processing: 'calm', ready: 'good', failed: 'danger' } as const;

interface DocumentsTabProps {
  readonly base: KnowledgeBase;
  /** The files that become documents of it. */
  readonly uploads: Uploads;
}

/** The documents of a knowledge base, with how each stands. */
export function DocumentsTab({ base, uploads }: DocumentsTabProps): ReactNode {
  const text = useKnowledgeText();
  const words = text.documents;
  const [documents, refusal] = [useDocuments(base.id), useRefusal('knowledge_bases.manage')];
  const list = useUploadList(uploads);
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <div className="row justify-between gap-3">
      <FileButton
        icon={FileUp}
        label={words.chooseFiles}
        variant="primary"
        multiple
        reason={refusal}
        onFiles={(files) => uploads.add(files)}
      >
        {words.chooseFiles}
      </FileButton>
      <Button icon={Plus} reason={refusal} onClick={() => setIsAdding(true)}>
        {words.add}
      </Button>
    </div>
  );
  return (
    <div className={classes.parts}>
      <UploadList label={words.uploads} uploads={uploads} list={list} />
      <Loaded query={documents}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={<FileText />} title={words.empty} action={add}>
              {words.emptyWhy}
            </Empty>
          ) : (
            <div className={classes.parts}>
              <div className="row justify-between gap-3">
                <p className="soft font-normal">{words.lead}</p>
                {add}
              </div>
              <Table
                label={text.tabs.documents}
                columns={columnsOf(base.id, words, refusal)}
                rows={items}
                keyOf={({ id }) => id}
              />
              <Pager pages={documents} />
            </div>
          )
        }
      </Loaded>
      <Dialog open={isAdding} onClose={() => setIsAdding(false)} title={words.add}>
        <DocumentForm baseId={base.id} reason={refusal} onDone={() => setIsAdding(false)} />
      </Dialog>
    </div>
  );
}

type DocumentValues = {
  readonly source: 'text' | 'url';
  readonly title: string;
  readonly text: string;
  readonly url: string;
  /** As it is typed: separated by commas. */
  readonly tags: string;
};

const NEW: DocumentValues = { source: 'text', title: '', text: '', url: '', tags: '' };
const SOURCES = ['text', 'url'] as const;

/** How many characters a text may have. */
const MAX_CHARACTERS = 500_000;

interface DocumentFormProps {
  readonly baseId: string;
  /** Why nothing can be added; undefined when it can. */
  readonly reason: string | undefined;
  readonly onDone: () => void;
}

/** Adds a document: a text, or the address of a page. */
function DocumentForm({ baseId, reason, onDone }: DocumentFormProps): ReactNode {
  const text = useKnowledgeText();
  const [words, toast, actions] = [text.form, useToast(), useDocumentActions(baseId)];
  return (
    <RecordForm
      draftKey={`knowledge-document.${baseId}`}
      stored={NEW}
      isNew
      submitLabel={text.documents.add}
      reason={reason}
      onSubmit={async ({ values }) => {
        const { title } = await actions.add(bodyOf(values));
        onDone();
        toast(text.documents.added(showInvisible(title)));
      }}
    >
      {({ field, values }) => (
        <>
          <SelectField
            label={words.source}
            options={SOURCES.map((value) => ({ value, label: words.sources[value] }))}
            {...field('source')}
          />
          {values.source === 'url' ? (
            <Field label={words.url} hint={words.urlHint} inputMode="url" required {...field('url')} />
          ) : (
            <TextAreaField
              label={words.text}
              hint={words.textHint}
              required
              maxLength={MAX_CHARACTERS}
              {...field('text')}
            />
          )}
          <Field label={words.title} hint={words.titleHint} maxLength={200} {...field('title')} />
          <Field label={words.tags} hint={words.tagsHint} {...field('tags')} />
        </>
      )}
    </RecordForm>
  );
}

/** Returns what is sent: what belongs to the other source, or was left empty, is left out. */
function bodyOf({ source, title, text, url, tags }: DocumentValues): NewDocument {
  return {
    ...(source === 'text' ? { text } : { url: url.trim() }),
    ...(title.trim() !== '' && { title: title.trim() }),
    tags: tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  };
}

function columnsOf(
  baseId: string,
  words: KnowledgeText['documents'],
  refusal: string | undefined,
): readonly Column<KnowledgeDocument>[] {
  return [
    {
      key: 'name',
      title: words.name,
      cell: ({ title, source, tags }) => (
        <span className={classes.name}>
          {showInvisible(title)}
          <span className="soft font-normal">{[words.sources[source], ...tags.map(showInvisible)].join(' · ')}</span>
        </span>
      ),
    },
    {
      key: 'state',
      title: words.state,
      cell: ({ status, error }) => (
        <span className="column wrap-anywhere items-start">
          <Badge tone={TONES[status]}>{words.status[status]}</Badge>
          {error !== null && <span className="danger small wrap-anywhere">{showInvisible(error)}</span>}
        </span>
      ),
    },
    { key: 'size', title: words.size, cell: ({ characters, passages }) => words.sizeOf(characters, passages) },
    { key: 'added', title: words.addedAt, cell: ({ created_at: at }) => timeFromNow(at) },
    {
      key: 'actions',
      title: words.actions,
      isActions: true,
      cell: (document) => (
        <>
          {document.source === 'upload' && <DownloadDocument baseId={baseId} document={document} />}
          <RemoveDocument baseId={baseId} document={document} reason={refusal} />
        </>
      ),
    },
  ];
}

interface DocumentProps {
  readonly baseId: string;
  readonly document: KnowledgeDocument;
}

/** A button that reads the file of a document with the user's rights, and has the browser save it. */
function DownloadDocument({ baseId, document: { id, title } }: DocumentProps): ReactNode {
  const words = useKnowledgeText().documents;
  const actions = useDocumentActions(baseId);
  return (
    <ActionButton
      icon={Download}
      variant="quiet"
      aria-label={words.downloadNamed(showInvisible(title))}
      action={async () => saveFile(await actions.readFile(id), title)}
    />
  );
}

interface RemoveDocumentProps extends DocumentProps {
  readonly reason: string | undefined;
}

function RemoveDocument({ baseId, document, reason }: RemoveDocumentProps): ReactNode {
  const words = useKnowledgeText().documents;
  const actions = useDocumentActions(baseId);
  const title = showInvisible(document.title);
  return (
    <ConfirmButton
      variant="quiet"
      aria-label={words.removeNamed(title)}
      reason={reason}
      question={words.removeAsk(title)}
      why={words.removeWhy}
      action={words.remove}
      done={words.removed(title)}
      onConfirm={async () => actions.remove(document.id)}
    />
  );
}
