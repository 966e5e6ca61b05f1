import { type ReactNode, useMemo } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { TextAreaField } from '../../ui/fields/text-area-field.tsx';
import { RecordForm } from '../../ui/form/record-form.tsx';
import { useText } from '../../core/text/text-context.tsx';
import { type Issue, useChangeIssue } from '../queries.ts';
import { useIssuesText } from '../text.ts';

interface DescriptionFormProps {
  readonly issue: Issue;
  /** Reads the issue again after somebody else has changed it. */
  readonly onReload: () => void;
  readonly onDone: () => void;
}

/** Changes the title and the description of an issue. */
export function DescriptionForm({ issue, onReload, onDone }: DescriptionFormProps): ReactNode {
  const [text, common, change] = [useIssuesText(), useText().common, useChangeIssue()];
  const { id, title, description, updated_at: version } = issue;
  const stored = useMemo(() => ({ title, description }), [title, description]);
  return (
    <RecordForm
      draftKey={`issue.${id}`}
      stored={stored}
      submitLabel={text.save}
      actions={<Button onClick={onDone}>{common.cancel}</Button>}
      onReload={onReload}
      onSubmit={async ({ changes, overwrite }) => {
        await change.mutateAsync({ id, changes, version: overwrite ? undefined : version });
        onDone();
      }}
    >
      {({ field }) => (
        <>
          <Field label={text.fields.title} {...field('title')} required maxLength={300} />
          <TextAreaField label={text.fields.description} hint={text.markdownHint} {...field('description')} />
        </>
      )}
    </RecordForm>
  );
}
