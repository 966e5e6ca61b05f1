import { type ReactNode, useRef, useState } from 'react';
import { Field } from '../../ui/controls/field.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { lineOf, partsOfLine } from '../../core/text/comma-list.ts';
import { type Issue, useChangeIssue } from '../queries.ts';
import { useIssuesText } from '../text.ts';

interface LabelsFieldProps {
  readonly issue: Issue;
  /** Reads the issue again after its labels could not be stored. */
  readonly onReload: () => void;
}

/** What is typed, and of which version of the issue it was the labels; undefined for the one that is stored now. */
interface Edit {
  readonly line: string;
  readonly version: string | undefined;
}

/** The labels of an issue in one line. They are stored at Enter, and when the field is left. */
export function LabelsField({ issue, onReload }: LabelsFieldProps): ReactNode {
  const [text, toast, { mutateAsync: change }] = [useIssuesText(), useToast(), useChangeIssue()];
  const { id, labels, updated_at: version } = issue;
  const [edit, setEdit] = useState<Edit>();
  // Enter stores what the field holds, and leaving it is not to store the same once more, not even after it has failed.
  const sent = useRef({ line: '', isUnderWay: false });

  const store = async (isAgain: boolean) => {
    const wanted = partsOfLine(edit?.line ?? '');
    const line = lineOf(wanted);
    if (edit === undefined || (line === sent.current.line && (sent.current.isUnderWay || !isAgain))) return;
    if (line === lineOf(labels)) {
      setEdit(undefined);
      return;
    }
    sent.current = { line, isUnderWay: true };
    try {
      await change({ id, changes: { labels: wanted }, version: edit.version ?? version });
      sent.current = { line: '', isUnderWay: false };
      setEdit((now) => (now?.line === edit.line ? undefined : now && { ...now, version: undefined }));
    } catch (error) {
      sent.current = { line, isUnderWay: false };
      toast(error instanceof Error ? error.message : '', 'failed');
      setEdit((now) => now && { ...now, version: undefined });
      onReload();
    }
  };
  return (
    <Field
      label={text.fields.labels}
      name="labels"
      hint={text.labelsHint}
      value={edit?.line ?? lineOf(labels)}
      onValueChange={(line) =>
        setEdit((before) => ({ line, version: before === undefined ? version : before.version }))
      }
      onBlur={() => void store(false)}
      onKeyDown={({ key }) => key === 'Enter' && void store(true)}
    />
  );
}
