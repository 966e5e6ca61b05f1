import type { ReactNode } from 'react';
import { Field } from '../../ui/controls/field.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { TextAreaField } from '../../ui/fields/text-area-field.tsx';
import { RecordForm } from '../../ui/form/record-form.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { type NewDocument, useDocumentActions } from '../queries.ts';
import { useKnowledgeText } from '../text.ts';

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
export function DocumentForm({ baseId, reason, onDone }: DocumentFormProps): ReactNode {
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
