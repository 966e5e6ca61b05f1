import type { ReactNode } from 'react';
import { useCan } from '../core/permissions.ts';
import { useCatalog } from '../providers/queries.ts';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { SuggestField } from '../ui/fields/fields.tsx';
import type { EditedRecord } from '../ui/form/use-record.ts';
import { Badge } from '../ui/page/page.tsx';
import type { KnowledgeBase } from './queries.ts';
import { useKnowledgeText } from './text.ts';

/** What people say of a knowledge base. */
export type BaseValues = {
  readonly name: string;
  readonly description: string;
  readonly embedding_model: string;
};

/** The fields of a knowledge base, new or stored. */
export function BaseFields({ field }: Pick<EditedRecord<BaseValues>, 'field'>): ReactNode {
  const text = useKnowledgeText();
  const maySeeProviders = useCan('providers.view');
  return (
    <>
      <Field label={text.name} {...field('name')} required maxLength={200} />
      <TextAreaField
        label={text.fields.description}
        hint={text.fields.descriptionHint}
        maxLength={5_000}
        {...field('description')}
      />
      {maySeeProviders ? (
        <ModelField {...field('embedding_model')} />
      ) : (
        <SuggestField
          label={text.fields.model}
          hint={text.fields.modelHint}
          suggestions={FIXED}
          {...field('embedding_model')}
        />
      )}
    </>
  );
}

const FIXED = ['auto', 'off'] as const;

interface ModelFieldProps {
  readonly name: string;
  readonly value: string;
  readonly onValueChange: (value: string) => void;
}

/** Offers the models of the catalog as well, which only those may read who may see providers. */
function ModelField(props: ModelFieldProps): ReactNode {
  const text = useKnowledgeText().fields;
  const entries = useCatalog().data ?? [];
  const models = entries.flatMap(({ key, embedding_models: names }) => names.map((name) => `${key}/${name}`));
  return <SuggestField label={text.model} hint={text.modelHint} suggestions={[...FIXED, ...models]} {...props} />;
}

const TONES = { off: 'calm', working: 'calm', waiting: 'warn', ready: 'good' } as const;

/** How far a knowledge base can be searched by meaning. */
export function EmbeddingBadge({ base }: { readonly base: KnowledgeBase }) {
  const { embedding: words } = useKnowledgeText();
  const { status, passages } = base.embedding;
  return (
    <Badge tone={TONES[status]}>
      {words[status]}
      {status === 'working' && ` · ${words.progress(passages, base.passages)}`}
    </Badge>
  );
}
