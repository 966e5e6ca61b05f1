import { Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { Problem } from '../../core/http/problem.ts';
import type { EditorLanguage, Fault } from '../../ui/editor/editing.ts';
import { readJson } from '../../ui/editor/json-text.ts';
import { formatBytes, timeFromNow } from '../../core/text/formats.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/fields/text-fields.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { Editor, EditorField } from '../../ui/editor/editor.tsx';
import { useEditorText } from '../../ui/text.ts';
import { RecordForm } from '../../ui/form/record-form.tsx';
import type { EditedRecord } from '../../ui/form/use-record.ts';
import { ConfirmButton, Dialog } from '../../ui/overlays/dialog.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Loaded } from '../../ui/page/page.tsx';
import { showInvisible } from '../../ui/visible.ts';
import {
  type Definition,
  type DefinitionFile,
  type DefinitionKind,
  useChangeRefusal,
  useFile,
  useFileActions,
} from '../queries.ts';
import { useDefinitionsText } from '../text.ts';
import classes from '../definitions.module.css';

interface FileEditorProps {
  readonly kind: DefinitionKind;
  readonly definition: Definition;
  readonly path: string;
  /** All files beside it, for the names that are taken. */
  readonly paths: readonly string[];
  /** Called when the file is somewhere else now, or nowhere. */
  readonly onMoved: (path: string | undefined) => void;
}

/** Returns the key of the draft of a file. */
export function draftKeyOf(id: string, path: string): string {
  return `definition.${id}.${path}`;
}

/** One file of a skill or tool: to read, or to change and save by itself. */
export function FileEditor(props: FileEditorProps): ReactNode {
  const { kind, definition, path } = props;
  const file = useFile(kind, definition.id, path);
  return (
    <Loaded query={file}>
      {(content) =>
        definition.origin === 'builtin' ? <ShownFile file={content} /> : <EditedFile {...props} file={content} />
      }
    </Loaded>
  );
}

function ShownFile({ file: { path, bytes, content } }: { readonly file: DefinitionFile }): ReactNode {
  return (
    <div className="stack gap-3 min-w-0">
      <div className={classes.head}>
        <h2>{showInvisible(path)}</h2>
        <span className="soft">{formatBytes(bytes)}</span>
      </div>
      <Editor label={path} value={content} language={languageOf(path)} isReadOnly size="large" />
    </div>
  );
}

interface Refused {
  readonly content: string;
  readonly said: string;
}

function EditedFile(props: FileEditorProps & { readonly file: DefinitionFile }): ReactNode {
  const { kind, definition, path, file } = props;
  const text = useDefinitionsText();
  const [refusal, toast] = [useChangeRefusal(kind, definition), useToast()];
  const actions = useFileActions(kind, definition.id);
  const stored = useMemo(() => ({ content: file.content }), [file.content]);
  const [refused, setRefused] = useState<Refused>();
  return (
    <RecordForm
      draftKey={draftKeyOf(definition.id, path)}
      stored={stored}
      reason={refusal}
      onReload={() => void actions.read()}
      onSubmit={async ({ values: { content }, overwrite }) => {
        setRefused(undefined);
        try {
          await actions.write(path, content, overwrite ? undefined : file.updated_at);
        } catch (error) {
          if (error instanceof Problem && error.status === 422) setRefused({ content, said: saidIn(error) });
          throw error;
        }
        toast(text.saved);
      }}
    >
      {(record) => <FileFields {...props} record={record} refused={refused} />}
    </RecordForm>
  );
}

interface FileFieldsProps extends FileEditorProps {
  readonly file: DefinitionFile;
  readonly record: EditedRecord<{ readonly content: string }>;
  readonly refused: Refused | undefined;
}

function FileFields({ definition, path, file, record, refused, ...rest }: FileFieldsProps): ReactNode {
  const text = useDefinitionsText();
  const { notJson } = useEditorText();
  const { content } = record.values;
  const isUnsaved = content !== file.content;
  // What was said holds for the text that it was said of.
  const said = refused?.content === content ? refused.said : undefined;
  const problem = isUnsaved ? null : definition.problem;
  const faults = useMemo(
    () => faultsOf({ path, content, said, problem }, notJson),
    [path, content, said, problem, notJson],
  );
  return (
    <div className="stack gap-3 min-w-0">
      <div className={classes.head}>
        <h2>{showInvisible(path)}</h2>
        <span className="soft">{`${formatBytes(file.bytes)}, ${timeFromNow(file.updated_at)}`}</span>
        <FileActions {...rest} definition={definition} file={file} record={record} isUnsaved={isUnsaved} />
      </div>
      <EditorField
        label={text.file.content}
        language={languageOf(path)}
        size="large"
        faults={faults}
        hint={faults[0] && said === undefined && text.file.faultAt(faults[0].line, showInvisible(faults[0].message))}
        {...record.field('content')}
      />
    </div>
  );
}

interface FileActionsProps extends Omit<FileEditorProps, 'path'> {
  readonly file: DefinitionFile;
  readonly record: EditedRecord<{ readonly content: string }>;
  readonly isUnsaved: boolean;
}

function FileActions({ kind, definition, file, record, paths, isUnsaved, onMoved }: FileActionsProps): ReactNode {
  const text = useDefinitionsText();
  const [refusal, toast] = [useChangeRefusal(kind, definition), useToast()];
  const actions = useFileActions(kind, definition.id);
  const [isRenaming, setIsRenaming] = useState(false);
  const { path, content, updated_at: version } = file;
  return (
    <>
      <Button
        icon={Pencil}
        variant="quiet"
        reason={refusal ?? (isUnsaved ? text.file.saveFirst : undefined)}
        onClick={() => setIsRenaming(true)}
      >
        {text.file.rename}
      </Button>
      <ConfirmButton
        icon={Trash2}
        variant="quiet"
        reason={refusal}
        question={text.file.deleteAsk(showInvisible(path))}
        why={text.file.deleteWhy}
        action={text.file.delete}
        onConfirm={async () => {
          await actions.remove(path, version);
          record.discard();
          onMoved(undefined);
          toast(text.deleted(showInvisible(path)));
        }}
      />
      <RenameDialog
        path={path}
        paths={paths}
        open={isRenaming}
        onClose={() => setIsRenaming(false)}
        onRename={async (name) => {
          await actions.write(name, content);
          // The dialog goes with the file that was open. Should the second step fail there are two, and none is lost.
          onMoved(name);
          try {
            await actions.remove(path, version);
          } catch (error) {
            if (!(error instanceof Problem)) throw error;
            toast(text.file.renamedInPart(showInvisible(path), error.message), 'failed');
          }
        }}
      />
    </>
  );
}

interface RenameDialogProps {
  readonly path: string;
  readonly paths: readonly string[];
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onRename: (path: string) => Promise<void>;
}

/** Gives a file another path. */
function RenameDialog({ path, paths, open, onClose, onRename }: RenameDialogProps): ReactNode {
  const text = useDefinitionsText().file;
  return (
    <Dialog open={open} onClose={onClose} title={text.renameTitle(showInvisible(path))}>
      <Form
        submitLabel={text.rename}
        onSubmit={async ({ file_path: name = '' }) => {
          throwIfTaken(paths, name, text.taken);
          await onRename(name);
          onClose();
        }}
      >
        <Field
          label={text.path}
          name="file_path"
          hint={text.pathHint}
          required
          defaultValue={path}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  );
}

/** Refuses a path that another file has: writing it would replace that one. */
export function throwIfTaken(paths: readonly string[], path: string, words: string): void {
  if (paths.includes(path)) throw new Problem(422, words, { fields: { file_path: words } });
}

/** A file and what is known to be wrong with it. */
interface Judged {
  readonly path: string;
  readonly content: string;
  /** What the server has said of exactly this content. */
  readonly said?: string | undefined;
  /** Why the definition is not usable, which may name this file: `http.json: url: ...`. */
  readonly problem?: string | null | undefined;
}

const LANGUAGES: Readonly<Record<string, EditorLanguage>> = {
  md: 'markdown',
  json: 'json',
  js: 'javascript',
  mjs: 'javascript',
  ts: 'javascript',
};

/** Returns the language of a file, by its ending. */
export function languageOf(path: string): EditorLanguage {
  return LANGUAGES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()] ?? 'plain';
}

/** Returns what a refusal says of the content of a file. */
export function saidIn({ fields, message }: Problem): string {
  const [said] = Object.entries(fields).filter(([name]) => name === 'content' || name.startsWith('content.'));
  return said?.[1] ?? message;
}

/**
 * Returns what is wrong with a file, each at its line. JSON that is none is found here, before anything is sent, and
 * said by `notJson`; what the server says is put at the line that it names, or else at that of the field that it is
 * about.
 */
export function faultsOf(
  { path, content, said, problem }: Judged,
  notJson: (line: number) => string,
): readonly Fault[] {
  const read = path.endsWith('.json') && content.trim() !== '' ? readJson(content) : undefined;
  if (read !== undefined && 'fault' in read) return [{ ...read.fault, message: notJson(read.fault.line) }];
  const head = `${path}: `;
  const fault = said ?? (problem?.startsWith(head) === true ? problem.slice(head.length) : undefined);
  return fault === undefined ? [] : [{ line: lineOf(fault, content), message: fault }];
}

function lineOf(said: string, content: string): number {
  const named = /\(line (\d{1,9})[,)]/.exec(said)?.[1];
  if (named !== undefined) return Number(named);
  const colon = said.indexOf(':');
  if (colon < 0) return 1;
  // The names of a path stand one after the other in a text of JSON, as far as they are there.
  let at = 0;
  for (const name of said.slice(0, colon).split('.')) {
    const next = content.indexOf(JSON.stringify(name), at);
    if (next < 0) break;
    at = next;
  }
  return content.slice(0, at).split('\n').length;
}
